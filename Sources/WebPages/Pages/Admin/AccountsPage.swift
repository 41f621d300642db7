import Contract

/// The list of accounts, with a form that erases a person.
struct AccountsPage: PageModel {
    struct Account: TemplateValues {
        struct Action: TemplateValues {
            /// The value of the button.
            var action: String
            var label: String
        }

        var id: String
        var name: String
        var email: String
        var role: String
        /// Set for an account that is disabled or deleted.
        var state: String?
        /// When the account was created.
        var since: String
        var actions: [Action]

        init(_ account: AdminAccount, isOnlyAdmin: Bool, _ page: PageRequest) {
            let texts = page.texts
            let state = account.deletedAt != nil ? "deleted" : account.disabledAt != nil ? "disabled" : "active"
            let isOwn = page.bar?.accountID == account.id
            var actions: [String] = []
            if state != "deleted", !(isOwn && isOnlyAdmin) {
                actions.append(account.role == "admin" ? "host" : "admin")
            }
            // Admins who disabled their own account could not enable it again.
            if state != "deleted", !isOwn { actions.append(state == "disabled" ? "enable" : "disable") }
            (id, name, email) = ("\(account.id)", account.name, account.email)
            role = texts("admin.role-\(account.role)")
            self.state = state == "active" ? nil : texts("admin.state-\(state)")
            since = page.time(account.createdAt)
            self.actions = actions.map { action in
                let suffix = isOwn && action == "host" ? "-own" : ""
                return Action(action: "\(action):\(account.id)", label: texts("admin.make-\(action)\(suffix)"))
            }
        }
    }

    /// How many entries an erasure has deleted, by kind.
    struct Erased: TemplateValues {
        var counts: [Fact]

        init(_ erasure: Erasure, _ texts: PageTexts) {
            counts = erasure.erased.filter { $0.value > 0 }.sorted { $0.key < $1.key }
                .map { Fact(label: texts.find("audit-detail.\($0.key)") ?? $0.key, value: "\($0.value)") }
        }
    }

    static let template = "admin-accounts"
    var title: String
    var heading: AdminHeading
    var search: [PageField.Values]
    var accounts: [Account]
    /// The address of the list's next page.
    var next: String?
    var erased: Erased?
    /// Whether the form for an erasure is unfolded.
    var isErasing: Bool
    var erasure: [PageField.Values]
}
