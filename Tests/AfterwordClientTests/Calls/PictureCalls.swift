import AfterwordClient
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct PictureCalls {
    @Test func chartIsDownloadedAsBytes() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let meeting = try await service.openMeeting()
            try await meeting.submit(#"{"pace": 4}"#).expect(201)
            let id = try #require(ResourceID(meeting.id))
            let picture = try await host.picture(of: id, question: "pace", as: .bars, width: 400)
            let same = try await service.host.get("\(meeting.path)/results/pace.svg?shape=bars&width=400").expect(200)
            #expect(picture.value.bytes == same.body && picture.value.mediaType == "image/svg+xml")
            #expect(picture.tag.description == same["ETag"])
            #expect(try await refusal { _ = try await host.picture(of: id, question: "better") }?.status == 404)
            let refused = try await refusal { _ = try await host.picture(of: id, question: "pace", as: .doughnut) }
            #expect(refused?.code == .validationFailed && refused?.errors.first?.code == "shape-not-fitting")
        }
    }

    @Test func reportIsDownloadedInItsLanguage() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let id = try #require(ResourceID(try await service.meeting().id))
            let report = String(decoding: try await host.report(of: id, language: "ko"), as: UTF8.self)
            #expect(report.hasPrefix("%PDF-") && report.contains("ko A meeting"))
            #expect(try await refusal { _ = try await host.report(of: id, language: "fr") }?.code == .validationFailed)
        }
    }
}
