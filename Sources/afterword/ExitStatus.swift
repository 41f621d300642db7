/// What a script learns from how the program ended.
enum ExitStatus: Int32, Error {
    case fine = 0
    case failed = 1
    case misuse = 2
    case differences = 3
}
