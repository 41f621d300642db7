/// A form with which visitors sign up, confirm their address or choose a new password. It needs no session.
struct AccountFormPage: PageModel {
    struct Field: TemplateValues {
        /// The input types other than `text`, by field name.
        private static let types = ["email": "email", "password": "password"]
        private static let autocompleteValues = ["email": "email", "password": "new-password", "name": "name"]

        var name: String
        var label: String
        var type: String
        /// The value of the attribute `autocomplete`.
        var autocomplete: String
        var value: String
        var hint: String?
        var fault: String?
        var isRequired: Bool
        /// Whether the field is sent but not shown.
        var isHidden: Bool
        /// Whether the visitor can't change the value.
        var isFixed: Bool

        /// - Parameter given: The value from the link that the visitor opened.
        init(_ name: String, isRequired: Bool, given: String?, fault: String?, _ page: PageRequest) {
            let isPassword = name == "password"
            self.name = name
            label = page.texts(isRequired ? "account.\(name)-needed" : "account.\(name)")
            type = Self.types[name] ?? "text"
            autocomplete = Self.autocompleteValues[name] ?? "off"
            // A password is never sent back.
            value = isPassword ? "" : page.fields[name] ?? given ?? ""
            hint = isPassword ? page.texts("account.password-hint") : nil
            self.fault = fault
            self.isRequired = isRequired
            isHidden = name == "invitation" && given != nil
            isFixed = name == "email" && given != nil
        }
    }

    static let template = "account"
    var title: String
    var text: String
    var warning: String?
    var alert: String?
    /// The path that the form is sent to.
    var path: String
    var fields: [Field]
    /// The label of the button.
    var send: String
}
