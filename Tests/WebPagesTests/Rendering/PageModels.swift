@testable import WebPages

/// Every page's model. `everyTemplateBelongsToAModel` fails if one is missing.
enum PageModels {
    static let all: [any PageModel.Type] = [
        CalendarPage.self,
        TrashPage.self,
    ]
}
