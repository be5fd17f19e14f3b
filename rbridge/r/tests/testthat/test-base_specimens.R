# What instances of all kinds do in R, over the calls that both languages share.

# The next batches of an instance, which may be endless.
following_batches = function(instance, most = 3L) {
  following = instance$.iter()
  lapply(seq_len(most), function(i) following())
}

generators = generators_of_all_kinds()

for (name in names(generators)) {
  generator = generators[[name]]

  test_that(paste("saved instances and clones are independent of the first:", name), {
    expected = following_batches(generator(NULL))
    instance = generator(NULL)
    saved = serialize(instance, NULL)
    clone = instance$clone(deep = TRUE)
    expect_identical(following_batches(instance), expected)
    expect_identical(following_batches(clone), expected)
    expect_identical(following_batches(unserialize(saved)), expected)
  })

  test_that(paste("generators and instances are shown as text:", name), {
    for (object in list(generator, generator(NULL))) {
      shown = utils::capture.output(returned <- withVisible(print(object)))
      expect_true(length(shown) > 0L && all(validUTF8(shown)))
      expect_false(returned$visible)
    }
  })
}
