@testable import WebPages

/// Every page's model. `everyTemplateBelongsToAModel` fails if one is missing.
enum PageModels {
    static let all: [any PageModel.Type] = [
        AttendancePage.self,
        CalendarPage.self,
        CrossTabPage.self,
        DoorPage.self,
        HomePage.self,
        HostResultsPage.self,
        JoinPage.self,
        JoinedPage.self,
        MeetingPage.self,
        PersonPage.self,
        ReportPage.self,
        ResultsPage.self,
        RosterPage.self,
        ScreenPage.self,
        SeriesListPage.self,
        SeriesPage.self,
        SharesPage.self,
        TextsPage.self,
        TrashPage.self,
        TrendPicture.self,
    ]
}
