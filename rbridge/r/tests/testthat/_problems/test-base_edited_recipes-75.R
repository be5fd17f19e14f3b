# Extracted from test-base_edited_recipes.R:75

# 
# Failed to extract test: 
# Failed to find test at line 75.
