# The inside of objects whose vectors feedback changes.

private_of = function(object) {
  object$.__enclos_env__$private
}

# A copy of the vectors that feedback changes.
state_of = function(object) {
  unserialize(serialize(private_of(object)$.state, NULL))
}

# How often R copies these vectors while code runs.
# They are not given as an argument, which would refer to them, too.
copies_of_state = function(object, code) {
  private = private_of(object)
  tracemem(private$.state)
  on.exit(untracemem(private$.state))
  told = utils::capture.output(code)
  sum(startsWith(told, "tracemem["))
}
