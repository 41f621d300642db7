/// Explains that phones can't open a link or code. The values of the template `unreachable`.
struct UnreachableAddress: TemplateValues {
    var words: String
    /// Whether the reader may see the command on the page Health.
    var isAdmin: Bool
}

extension PageRequest {
    /// Nil if phones can open the service's address.
    var unreachable: UnreachableAddress? {
        guard kit.options.isForThisMachine else { return nil }
        let isAdmin = bar?.isAdmin == true
        return .init(words: texts(isAdmin ? "host.unreachable-admin" : "host.unreachable"), isAdmin: isAdmin)
    }
}
