# The name in errors: that of the public function or the class that the user called.
# The function that finds an error does not know the name, and no caller passes it down: public_name() looks for it on
# the call stack. So it costs nothing if there is no error.

# Sets the name for the errors of the calling function and of everything that it calls. Public functions do this first.
# Methods need not, because their errors have the name of the class of the object.
name_errors = function(name) {
  assign(".public_name", name, envir = parent.frame())
}

# Returns the name for an error of the calling function.
# The search goes from each function to the one in whose code it is called, and ends at the first name. So an argument
# is evaluated under the name of the function that wrote it, not of the one that receives it.
public_name = function() {
  parents = sys.parents()
  place = sys.parent()
  while (place > 0L) {
    name = name_in(sys.frame(place))
    if (!is.null(name)) {
      return(name)
    }
    # The parent of a function that C calls is 0 or itself. The function that called C is the one below.
    has_parent = parents[place] > 0L && parents[place] < place
    place = if (has_parent) parents[place] else place - 1L
  }
  "rbridge"
}

# Returns the name in the frame of a call or in the environments around it. It is NULL if there is none, and for other
# code, whose environments do not lead to the namespace of this package.
name_in = function(frame) {
  namespace = topenv()
  name = NULL
  while (!identical(frame, namespace)) {
    if (identical(frame, globalenv()) || identical(frame, emptyenv())) {
      return(NULL)
    }
    if (is.null(name)) {
      name = own_name(frame)
    }
    frame = parent.env(frame)
  }
  name
}

# Returns the name that name_errors() has set, or the class of the object whose methods have this environment.
own_name = function(environment) {
  given = get0(".public_name", environment, inherits = FALSE)
  object = if (is.null(given)) get0("self", environment, inherits = FALSE)
  if (is.null(object)) given else class(object)[1L]
}
