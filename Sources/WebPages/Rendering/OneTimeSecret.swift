/// A secret or link that is shown once, with a button to copy it. The values of the template `once`.
struct OneTimeSecret: TemplateValues {
    /// The sentence above the secret.
    var text: String
    /// The secret or link itself.
    var url: String
    /// Set if phones can't open the link.
    var unreachable: UnreachableAddress?
}
