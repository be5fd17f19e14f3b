# Writes the tables of CRAN packages that catalog.csv names, as compressed CSV files, and the packages' versions and
# licenses: Rscript prepare.R FOLDER
#
# Only the data of a source package are read. The package is neither installed nor loaded, so it needs none of its
# dependencies. A table that the folder has is not made again.

script = sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
folder = commandArgs(trailingOnly = TRUE)[[1]]
catalog = read.csv(file.path(dirname(script), "catalog.csv"))
catalog = unique(catalog[!catalog$package %in% c("scikit-learn", "pystrat"), c("package", "object")])
catalog$file = file.path(folder, sprintf("%s.csv.gz", catalog$object))

sources = file.path(folder, "packages")
dir.create(sources, recursive = TRUE, showWarnings = FALSE)
if (identical(getOption("repos")[["CRAN"]], "@CRAN@")) {
  options(repos = c(CRAN = "https://cloud.r-project.org"))
}

read_object = function(package, object) {
  files = list.files(file.path(sources, package, "data"), full.names = TRUE)
  file = files[tools::file_path_sans_ext(basename(files)) == object]
  loaded = new.env()
  as.data.frame(get(load(file, envir = loaded)[[1]], envir = loaded))
}

missing_tables = catalog[!file.exists(catalog$file), ]
wanted = unique(missing_tables$package)
if (length(wanted) > 0) {
  downloaded = download.packages(wanted, sources, type = "source", quiet = TRUE)
  for (archive in downloaded[, 2]) {
    untar(archive, exdir = sources)
  }
}
for (row in seq_len(nrow(missing_tables))) {
  wish = missing_tables[row, ]
  table = read_object(wish$package, wish$object)
  partial = paste0(wish$file, ".part")
  connection = gzfile(partial, "w")
  write.csv(table, connection, row.names = FALSE, na = "")
  close(connection)
  file.rename(partial, wish$file)
  cat(sprintf("%s::%s: %d rows\n", wish$package, wish$object, nrow(table)))
}

fields = c("Package", "Version", "License")
read = lapply(file.path(sources, unique(catalog$package), "DESCRIPTION"), read.dcf, fields = fields)
write.csv(do.call(rbind, read), file.path(folder, "packages.csv"), row.names = FALSE, quote = FALSE)
