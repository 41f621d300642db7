/// The operations of one group of the API.
struct OperationsPage: PageModel {
    struct GroupLink: TemplateValues {
        var name: String
        /// Whether this page is about the group.
        var isHere: Bool
    }

    struct Operation: TemplateValues {
        var id: String
        var method: String
        var path: String
        var summary: String
        var paragraphs: [Prose.Paragraph]
        /// The ways to authorize a request.
        var access: [String]
        var hasAccess: Bool
        var parameters: [Parameter]
        var hasParameters: Bool
        var body: Body?
        var answers: [Response]
        var problems: Problems?
    }

    struct Parameter: TemplateValues {
        var name: String
        /// The location: `path`, `query` or `header`.
        var place: String
        var isRequired: Bool
        var paragraphs: [Prose.Paragraph]
        var kind: SchemaReading.Kind
        var bounds: String?
    }

    struct Body: TemplateValues {
        var paragraphs: [Prose.Paragraph]
        var media: [Content]
    }

    struct Content: TemplateValues {
        /// The media type.
        var type: String
        var kind: SchemaReading.Kind
        var table: SchemaReading.Table?
        var example: String?
    }

    struct Response: TemplateValues {
        var status: String
        var paragraphs: [Prose.Paragraph]
        var media: [Content]
        var headers: [String]
        var hasHeaders: Bool
    }

    struct Problems: TemplateValues {
        var statuses: String
        var answers: [Response]
    }

    static let template = "docs-group"
    static let isWide = true
    static let isReference = true
    var title: String
    var description: String
    var groups: [GroupLink]
    var operations: [Operation]
}
