import StrictJSON

/// A host's request to save a form as a template that every host of the service may use.
public struct SavedTemplateDraft: Sendable, Equatable {
    /// The largest number of characters of a name. It is shown in lists and menus.
    static let nameLength = 100

    public var name: String
    public var definition: FormDefinition

    /// Parses the body of `POST /v1/templates`. Throws a `Problem` with all errors.
    ///
    /// Instants belong to the meeting from which the form was taken, so they are dropped. Offsets are kept and apply to
    /// each meeting's own times.
    public static func read(_ body: JSONValue) throws(Problem) -> SavedTemplateDraft {
        let reader = ObjectReader(body)
        let name = reader.requiredText("name", atMost: nameLength)
        var definition: FormDefinition?
        if let object = reader.object("definition") {
            definition = FormDefinition.read(object)
        } else if !reader.has("definition") {
            reader.fault(at: "definition", code: "required", "The form is required here.")
        }
        definition?.removeInstants()
        let faults = reader.finish()
        guard faults.isEmpty, let name, let definition else { throw Problem(faults) }
        return SavedTemplateDraft(name: Limits.trimmed(name), definition: definition)
    }

    /// Parses the body of `PATCH /v1/templates/{id}`: the new name.
    public static func readName(_ body: JSONValue) throws(Problem) -> String {
        let reader = ObjectReader(body)
        let name = reader.requiredText("name", atMost: nameLength)
        let faults = reader.finish()
        guard faults.isEmpty, let name else { throw Problem(faults) }
        return Limits.trimmed(name)
    }
}

extension FormDefinition {
    fileprivate mutating func removeInstants() {
        opens = opens.flatMap { $0.isOffset ? $0 : nil }
        closes = closes.flatMap { $0.isOffset ? $0 : nil }
    }
}
