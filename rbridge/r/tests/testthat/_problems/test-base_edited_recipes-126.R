# Extracted from test-base_edited_recipes.R:126

# 
# Failed to extract test: 
# Failed to find test at line 126.
