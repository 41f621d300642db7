import Foundation
import TestSupport
import Testing

/// The pages of a running service. Browser checks cover their behavior.
@Suite struct PagesOfAService {
    @Test func pagesAreServedToSignedInHosts() async throws {
        let folder = try TemporaryFolder()
        let data = folder / "data"
        let service = try await RunningService(["--data", data])
        try await service.using { service async throws in
            let admin = try await service.admin(in: data)
            let (code, _) = try await service.openForm(by: admin)
            let created = try await admin.post("/v1/meetings", json: #"{"title": "M"}"#).expect(201)
            let (meeting, series) = (try created.string("id"), try created.string("seriesId"))
            let password = folder.read("data/first-admin").split(separator: "\n").first { $0.hasPrefix("password: ") }
            let body = #"{"email": "admin@localhost", "password": "\#(password?.dropFirst(10) ?? "")"}"#
            let token = try await service.client.post("/v1/sessions", json: body).string("token")
            let meetingPages = [
                "", "/form", "/form/preview", "/edit", "/stage", "/remote", "/results", "/crosstab", "/report",
                "/people", "/door", "/shares", "/now",
            ]
            let otherPages = [
                "/", "/home", "/calendar", "/series", "/series/\(series)", "/series/\(series)/people",
                "/series/\(series)/rounds", "/series/\(series)/settings", "/trash",
                "/account", "/account/webhooks", "/import",
                "/admin/accounts", "/admin/invitations", "/admin/audit", "/admin/health", "/admin/exports", "/docs",
                "/docs/components",
                "/f/\(code)", "/sign-in", "/forgot",
            ]
            for path in meetingPages.map({ "/meetings/\(meeting)\($0)" }) + otherPages {
                for language in ["en", "ko", "de"] {
                    let headers = [
                        "Cookie": "afterword-session=\(token)", "Accept": "text/html", "Accept-Language": language,
                    ]
                    let page = try await service.client.get(path, headers: headers)
                    #expect(page.status == 200 && page.text.contains("lang=\"\(language)\""), "\(path) \(page.status)")
                }
            }
        }
    }
}
