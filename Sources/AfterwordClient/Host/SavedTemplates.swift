import Contract

extension Endpoint {
    static let listTemplates = Endpoint("GET", "/v1/templates")
    static let createTemplate = Endpoint("POST", "/v1/templates", .keyed)
    static let getTemplate = Endpoint("GET", "/v1/templates/{id}")
    static let renameTemplate = Endpoint("PATCH", "/v1/templates/{id}")
    static let deleteTemplate = Endpoint("DELETE", "/v1/templates/{id}")

    static let savedTemplates = [listTemplates, createTemplate, getTemplate, renameTemplate, deleteTemplate]
}

extension Afterword.Host {
    /// The templates of all hosts, newest first, without their forms.
    public func savedTemplates() -> Pages<SavedTemplate> {
        pages(.listTemplates)
    }

    /// Saves a form as a template, which every host of the service can use.
    public func saveTemplate(_ template: SavedTemplateRequest, key: IdempotencyKey? = nil) async throws -> SavedTemplate
    {
        try await call(.createTemplate, body: .json(template), key: key).value()
    }

    public func savedTemplate(_ id: ResourceID) async throws -> SavedTemplate {
        try await call(.getTemplate, id).value()
    }

    /// Renames a template of this account; admins rename any.
    @discardableResult
    public func renameTemplate(_ id: ResourceID, to name: String) async throws -> SavedTemplate {
        try await call(.renameTemplate, id, body: .json(SavedTemplateEdit(name: name))).value()
    }

    /// Deletes a template of this account; admins delete any. Forms that began with it stay as they are.
    public func deleteTemplate(_ id: ResourceID) async throws {
        _ = try await call(.deleteTemplate, id)
    }
}
