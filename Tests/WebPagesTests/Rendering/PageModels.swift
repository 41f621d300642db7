@testable import WebPages

/// Every page's model. `everyTemplateBelongsToAModel` fails if one is missing.
enum PageModels {
    static let all: [any PageModel.Type] = [
        CalendarPage.self,
        JoinPage.self,
        JoinedPage.self,
        PersonPage.self,
        RosterPage.self,
        TrashPage.self,
    ]
}
