# A function to call after each of `total` steps, which shows the progress of long work with the package cli. It does
# nothing if cli is not installed or messages do not go to a terminal.
progress_ticker = function(description, total, frame = parent.frame()) {
  if (!requireNamespace("cli", quietly = TRUE) || !cli::is_dynamic_tty()) {
    return(function() NULL)
  }
  bar = cli::cli_progress_bar(description, total = total, clear = TRUE, .auto_close = TRUE, .envir = frame)
  function() cli::cli_progress_update(id = bar, .envir = frame)
}
