/// Explains that phones can't open a link or code, and how to change that. The values of the template `unreachable`.
struct UnreachableAddress: TemplateValues {
    var words: String
    /// The options to start the service with.
    var flags: String
}

extension PageKit {
    /// Nil if phones can open the service's address.
    func unreachable(_ texts: PageTexts) -> UnreachableAddress? {
        options.reachabilityFlags.map { .init(words: texts("host.unreachable"), flags: $0) }
    }
}
