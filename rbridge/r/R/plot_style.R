# The style of all plots of ggplot2: that of the plots in Python, with no text below 9 points.
plot_style = function() {
  small = ggplot2::element_text(size = 9.5, colour = "black")
  ggplot2::theme_bw(base_size = 11) +
    ggplot2::theme(panel.grid = ggplot2::element_blank(), axis.text = small, legend.text = small, strip.text = small,
      strip.background = ggplot2::element_blank(), plot.subtitle = ggplot2::element_text(size = 10))
}

# The size of text in a panel, of which ggplot2 wants millimeters.
small_text = 9 / 72.27 * 25.4

# The colors of M. Okabe and K. Ito, which people with any kind of color vision tell apart; line styles alternate too.
line_colors = function(n) {
  rep_len(c("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9"), n)
}

line_types = function(n) {
  rep_len(c("solid", "dashed"), n)
}

# Wide enough to tell line styles apart.
wide_keys = function() {
  ggplot2::theme(legend.key.width = ggplot2::unit(2, "lines"))
}

# Whole numbers on an axis, even if there is room for fractions.
whole_breaks = function(limits) {
  breaks = pretty(limits)
  breaks[breaks == floor(breaks) & breaks >= limits[1L] & breaks <= limits[2L]]
}
