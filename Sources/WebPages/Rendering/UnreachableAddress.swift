/// Explains that a link or code leads to an address that no phone can open, and how to change that.
struct UnreachableAddress: TemplateValues {
    var words: String
    /// The options to start the service with.
    var flags: String
}

extension PageKit {
    /// Nil if phones can open the service's address.
    func unreachable(_ texts: PageTexts) -> UnreachableAddress? {
        options.openingFlags.map { .init(words: texts("host.unreachable"), flags: $0) }
    }
}
