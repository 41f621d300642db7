/// A form about an account, for visitors without a session.
struct AccountFormPage: PageModel {
    struct Field: TemplateValues {
        private static let types = ["email": "email", "password": "password"]
        private static let completions = ["email": "email", "password": "new-password", "name": "name"]

        var name: String
        var label: String
        var type: String
        /// The value of `autocomplete`.
        var completion: String
        var value: String
        var hint: String?
        var fault: String?
        var isRequired: Bool
        var isHidden: Bool
        var isFixed: Bool

        /// - Parameter given: The value in the link, which the visitor can't change.
        init(_ name: String, isRequired: Bool, given: String?, fault: String?, _ page: PageRequest) {
            let isPassword = name == "password"
            self.name = name
            label = page.texts(isRequired ? "account.\(name)-needed" : "account.\(name)")
            type = Self.types[name] ?? "text"
            completion = Self.completions[name] ?? "off"
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
    /// The address that the form is sent to.
    var path: String
    var fields: [Field]
    /// The label of the button.
    var send: String
}
