import ArgumentParser

/// The subcommand that was probably meant by an unknown one.
enum CommandSuggestion {
    /// The largest number of letters that may be missing, superfluous or wrong.
    private static let maxDistance = 2

    /// Adds the subcommand to the first line of a message about an unknown one.
    ///
    /// - Parameter argument: The first argument of the command line.
    static func added(to message: String, for argument: String?) -> String {
        guard let argument,
            ["Unexpected argument '", "unexpected arguments: '"].contains(where: {
                message.contains("\($0)\(argument)'")
            }),
            let name = nearest(to: argument)
        else { return message }
        let rest = message.drop { !$0.isNewline }
        return message.prefix { !$0.isNewline } + ". Did you mean '\(name)'?" + rest
    }

    static func nearest(to argument: String) -> String? {
        let names = Afterword.configuration.subcommands.compactMap { $0.configuration.commandName }
        let distances = names.map { (name: $0, distance: distance(argument, $0)) }
        return distances.min { $0.distance < $1.distance }
            .flatMap { $0.distance <= min(maxDistance, argument.count - 2) ? $0.name : nil }
    }

    /// The number of letters that must be added, removed or replaced (V. I. Levenshtein).
    private static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let replaced = diagonal + (letter == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
