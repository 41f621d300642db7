/// A secret or link that is shown once, with a button to copy it: the names of the template `once`.
struct OneTimeSecret: TemplateValues {
    var text: String
    var url: String
    /// Set if the link leads to an address that phones can't open.
    var unreachable: UnreachableAddress?
}
