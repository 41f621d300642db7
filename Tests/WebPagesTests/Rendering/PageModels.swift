@testable import WebPages

/// Every page's model. `everyTemplateBelongsToAModel` fails if one is missing.
enum PageModels {
    static let all: [any PageModel.Type] = [
        AccountFormPage.self,
        BuilderPage.self,
        CheckInPage.self,
        CheckedInPage.self,
        ClosedFormPage.self,
        FormPage.self,
        FormPreviewPage.self,
        FrontPage.self,
        MeetingDetailPage.self,
        MessagePage.self,
        OwnAccountPage.self,
        PersonalFormPage.self,
        SentFormPage.self,
        SignInPage.self,
        TrashPage.self,
        WithdrawnFormPage.self,
    ]
}
