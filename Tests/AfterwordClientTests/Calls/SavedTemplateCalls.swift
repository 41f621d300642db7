import AfterwordClient
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct SavedTemplateCalls {
    @Test func templateIsSavedListedRenamedAndDeleted() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let form = FormBody(identity: "device", questions: [.text("better", "What should we change?")])
            let key = IdempotencyKey()
            let saved = try await host.saveTemplate(SavedTemplateRequest(name: "Retro", definition: form), key: key)
            let replayed = try await host.saveTemplate(SavedTemplateRequest(name: "Retro", definition: form), key: key)
            #expect(replayed == saved && saved.questions == 1 && saved.definition?.identity == "device")
            let listed = try await host.savedTemplates().first(5)
            #expect(listed.map(\.id) == [saved.id] && listed[0].definition == nil)
            #expect(try await host.renameTemplate(saved.id, to: "Our retro").name == "Our retro")
            #expect(try await host.savedTemplate(saved.id).definition?.questions.map(\.key) == ["better"])
            try await host.deleteTemplate(saved.id)
            #expect(try await refusal { _ = try await host.savedTemplate(saved.id) }?.code == .notFound)
        }
    }
}
