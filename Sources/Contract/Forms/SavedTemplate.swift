import Foundation

/// A request to save a form as a template.
public struct SavedTemplateRequest: Codable, Sendable, Equatable {
    /// At most 100 characters.
    public var name: String
    /// Times that are not relative to a meeting are dropped.
    public var definition: FormBody

    public init(name: String, definition: FormBody) {
        self.name = name
        self.definition = definition
    }
}

/// A change of a template's name.
public struct SavedTemplateEdit: Codable, Sendable, Equatable {
    public var name: String

    public init(name: String) { self.name = name }
}

/// A form that a host saved as a template, which every host of the service may use.
public struct SavedTemplate: Codable, Sendable, Equatable, Identifiable {
    /// The account that saved the template. Only it and admins may change it.
    public struct Owner: Codable, Sendable, Equatable {
        public var id: ResourceID
        public var name: String

        public init(id: ResourceID, name: String) {
            self.id = id
            self.name = name
        }
    }

    public var id: ResourceID
    public var name: String
    public var owner: Owner
    public var createdAt: Date
    public var updatedAt: Date
    /// The number of questions.
    public var questions: Int
    /// The complete form; nil in lists. A form that gets this definition asks the same questions under the same keys.
    public var definition: FormBody?

    public init(
        id: ResourceID, name: String, owner: Owner, createdAt: Date, updatedAt: Date, questions: Int,
        definition: FormBody? = nil
    ) {
        self.id = id
        self.name = name
        self.owner = owner
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.questions = questions
        self.definition = definition
    }
}

public typealias SavedTemplateList = Page<SavedTemplate>
