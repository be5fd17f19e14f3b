/* Rules of distribution, one per line: patterns of names of files, separated by commas, blanks, and a weight. */

#include <bitset>
#include <locale>
#include <sstream>

#include "../core/kinds.hpp"

namespace pystrat {
namespace {

using Set = std::bitset<256>;

struct Malformed {
  std::string reason;
};

enum Capture : char { OPEN, CLOSED, POSITION };

const std::string END = "(?![\\x00-\\xff])", NOTHING = "(?!)";

/* The bytes of a letter behind %: those of a class, those that are not in it, or the letter itself. */
Set class_of(int letter) {
  static const std::pair<char, std::string> classes[] = {
      {'a', "AZaz"}, {'c', std::string("\0\x1f\x7f\x7f", 4)}, {'d', "09"}, {'l', "az"}, {'p', "!/:@[`{~"},
      {'s', "\t\r  "}, {'u', "AZ"}, {'w', "09AZaz"}, {'x', "09AFaf"}, {'z', std::string("\0\0", 2)},
  };
  Set members;
  for (const auto &[name, ranges] : classes) {
    if (letter != name && letter + 'a' - 'A' != name) continue;
    for (size_t i = 0; i < ranges.size(); i += 2) {
      for (int byte = ranges[i]; byte <= ranges[i + 1]; byte++) members.set(static_cast<size_t>(byte));
    }
    return letter == name ? members : ~members;
  }
  return members.set(static_cast<size_t>(letter));
}

/* The regular expression of one of some bytes. */
std::string shown_set(const Set &members) {
  std::string ranges;
  for (size_t byte = 0; byte < members.size(); byte++) {
    if (!members[byte]) continue;
    unsigned first = static_cast<unsigned>(byte);
    while (byte + 1 < members.size() && members[byte + 1]) byte++;
    char range[16];
    std::snprintf(range, sizeof range, "\\x%02x-\\x%02x", first, static_cast<unsigned>(byte));
    ranges += range;
  }
  return ranges.empty() ? NOTHING : "[" + ranges + "]";
}

/* A Lua pattern as a regular expression, with which Python and, as PCRE, R find what Lua 5.1 finds. The captures before
 * it are those of other patterns.
 */
class Translation {
 public:
  Translation(const std::string &pattern, size_t before) : pattern(pattern), before(before) {
    if (pattern.find('\0') != std::string::npos) throw Malformed{"it contains a zero byte"};
    if (at(0) == '^') regex = pattern[place++];
    while (place < pattern.size()) regex += next_part();
    if (captures.find(OPEN) != std::string::npos) throw Malformed{"a capture is not closed"};
  }

  std::string regex;
  std::string captures; /* a Capture each */

 private:
  const std::string &pattern;
  size_t before, place = 0;

  int at(size_t i) const { return i < pattern.size() ? static_cast<unsigned char>(pattern[i]) : -1; }

  std::string next_part() {
    int letter = at(place), next = at(place + 1);
    if (letter == '$' && next < 0) return place++, END;
    if (letter == '(') return opened(next == ')');
    if (letter == ')') return closed();
    if (letter == '%' && next >= '0' && next <= '9') return back_reference(static_cast<size_t>(next - '0'));
    if (letter == '%' && next == 'b') throw Malformed{"%b, a balanced pair, is not supported"};
    if (letter == '%' && next == 'f') return frontier();
    std::string set = shown_set(next_item());
    int sign = at(place);
    if (sign != '*' && sign != '+' && sign != '-' && sign != '?') return set;
    place++;
    return set + (sign == '-' ? "*?" : std::string(1, static_cast<char>(sign)));
  }

  std::string opened(bool is_position) {
    if (captures.size() == 32) throw Malformed{"it has more than 32 captures"};
    captures += is_position ? POSITION : OPEN;
    place += is_position ? 2 : 1;
    return is_position ? "()" : "(";
  }

  std::string closed() {
    size_t last = captures.rfind(OPEN);
    if (last == std::string::npos) throw Malformed{"a capture is closed that was not opened"};
    captures[last] = CLOSED;
    return place++, ")";
  }

  std::string back_reference(size_t number) {
    if (number == 0 || number > captures.size() || captures[number - 1] == OPEN) {
      throw Malformed{text("%", static_cast<int64_t>(number), " refers to no finished capture")};
    }
    place += 2;
    return captures[number - 1] == POSITION ? NOTHING : text("(?:\\", static_cast<int64_t>(before + number), ")");
  }

  /* Where a byte outside of a set is followed by one in it; both ends of a text count as a zero byte. */
  std::string frontier() {
    place += 2;
    if (at(place) != '[') throw Malformed{"%f is not followed by a set"};
    Set members = next_item();
    std::string inside = shown_set(members);
    if (members[0]) return "(?<=" + shown_set(~members) + ")(?=" + inside + "|" + END + ")";
    return "(?<!" + inside + ")(?=" + inside + ")";
  }

  /* The bytes that a single item matches. */
  Set next_item() {
    int letter = at(place++);
    if (letter == '%' && at(place) < 0) throw Malformed{"it ends with %"};
    if (letter == '%') return class_of(at(place++));
    if (letter == '.') return Set().set();
    if (letter != '[') return Set().set(static_cast<size_t>(letter));
    bool is_negated = at(place) == '^';
    size_t begin = place + is_negated, end = begin;
    do { /* the first byte may be a closing bracket, and so may one behind % */
      end += at(end) == '%' ? 2 : 1;
      if (end >= pattern.size()) throw Malformed{"a set is not closed"};
    } while (pattern[end] != ']');
    Set members;
    while (begin < end) {
      bool is_class = at(begin) == '%', is_range = !is_class && at(begin + 1) == '-' && begin + 2 < end;
      if (is_class) members |= class_of(at(begin + 1));
      for (int byte = at(begin); !is_class && byte <= at(is_range ? begin + 2 : begin); byte++) {
        members.set(static_cast<size_t>(byte));
      }
      begin += is_class ? 2 : is_range ? 3 : 1;
    }
    place = end + 1;
    return is_negated ? ~members : members;
  }
};

/* A positive decimal number, 0 for any other text. */
double decimal_of(const std::string &word) {
  bool is_decimal = word.find_first_not_of("0123456789.") == std::string::npos &&
                    std::count(word.begin(), word.end(), '.') <= 1 && word != ".";
  std::istringstream digits(is_decimal ? word : "0");
  digits.imbue(std::locale::classic());
  double number = 0;
  return digits >> number && number <= LARGEST_EXACT ? number : 0;
}

/* A word as messages show it. */
std::string quoted(const std::string &word) {
  std::string shown;
  for (char letter : word) {
    char code[8];
    unsigned byte = static_cast<unsigned char>(letter);
    std::snprintf(code, sizeof code, "\\x%02x", byte);
    shown += byte < 32 || byte > 126 ? std::string(code) : std::string(1, letter);
  }
  return "'" + shown + "'";
}

/* The parts of a text, between certain letters. */
std::vector<std::string> split(const std::string &text, const char *letters) {
  std::vector<std::string> parts;
  for (size_t begin = 0;;) {
    size_t end = text.find_first_of(letters, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

/* The "weights" of the rules in a "text", infinite to keep all lines of a file, and their regular "expressions", a line
 * each.
 */
void read_rules(const Values &given, Host &host) {
  View<uint8_t> bytes = given.array<uint8_t>("text", "be bytes");
  std::vector<double> weights;
  std::string expressions;
  int64_t number = 0;
  for (const std::string &line : split(std::string(bytes.begin(), bytes.end()), "\n")) {
    std::vector<std::string> words;
    for (const std::string &word : split(line, " \t\r")) {
      if (!word.empty()) words.push_back(word);
    }
    number++;
    if (words.empty() || line[0] == '#') continue;
    auto refuse_word = [&](const std::string &required, const std::string &word, const std::string &advice = "") {
      refuse("rules", text(quoted(word), " on line ", number), required, advice);
    };
    if (words.size() < 2) refuse_word("have a pattern and a weight on each line", words[0]);
    if (words.size() > 2) refuse_word("have a pattern and a weight on each line, and no third word", words[2]);
    weights.push_back(words[1] == "*" ? INFINITY : decimal_of(words[1]));
    if (weights.back() == 0) refuse_word("have weights that are positive decimal numbers, or '*'", words[1]);
    size_t n_captures = 0;
    std::string expression;
    for (const std::string &pattern : words[0] == "*" ? std::vector<std::string>() : split(words[0], ",")) {
      if (pattern.empty()) refuse_word("have no empty alternative between commas", words[0]);
      try {
        Translation translation(pattern, n_captures);
        n_captures += translation.captures.size();
        expression += (expression.empty() ? "" : "|") + translation.regex;
      } catch (const Malformed &malformed) {
        refuse_word("have valid Lua patterns", pattern, "In this one, " + malformed.reason + ".");
      }
    }
    expressions += expression + "\n";
  }
  host.counts("weights", weights);
  host.words("expressions", expressions);
}

}  // namespace

const Kind rules_kind = {"rules", {}, make<AnswerOf<read_rules>>, {"text"}};

}  // namespace pystrat
