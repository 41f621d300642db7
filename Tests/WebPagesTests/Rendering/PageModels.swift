@testable import WebPages

/// Every page's model. `everyTemplateBelongsToAModel` fails if one is missing.
enum PageModels {
    static let all: [any PageModel.Type] = [
        AccountFormPage.self,
        AccountsPage.self,
        AuditPage.self,
        BuilderPage.self,
        CheckInPage.self,
        CheckedInPage.self,
        ClosedFormPage.self,
        ExportsPage.self,
        FormPage.self,
        FormPreviewPage.self,
        FrontPage.self,
        HealthPage.self,
        InvitationsPage.self,
        MeetingDetailPage.self,
        MessagePage.self,
        ObjectsPage.self,
        OperationsPage.self,
        OwnAccountPage.self,
        PersonalFormPage.self,
        ReferencePage.self,
        SentFormPage.self,
        SignInPage.self,
        TrashPage.self,
        WithdrawnFormPage.self,
    ]
}
