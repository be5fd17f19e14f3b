# The style of all plots of ggplot2: that of the plots in Python, with no text below 9 points.
plot_style = function() {
  small = ggplot2::element_text(size = 9.5, colour = "black")
  ggplot2::theme_bw(base_size = 11) +
    ggplot2::theme(panel.grid = ggplot2::element_blank(), axis.text = small, legend.text = small, strip.text = small,
      strip.background = ggplot2::element_blank(), plot.subtitle = ggplot2::element_text(size = 10))
}

# The size of text in a panel, of which ggplot2 wants millimeters.
small_text = 9 / 72.27 * 25.4

# Whole numbers on an axis, even if there is room for fractions.
whole_breaks = function(limits) {
  breaks = pretty(limits)
  breaks[breaks == floor(breaks) & breaks >= limits[1L] & breaks <= limits[2L]]
}
