import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@testable import WebPages

/// The picture above the questions of a form.
@Suite(.timeLimit(.minutes(5))) struct PicturesOfForms {
    private static func describe(_ alt: String, _ meeting: TestMeeting) async throws {
        try await meeting.host.send("PATCH", "\(meeting.path)/image", body: Array(#"{"alt": "\#(alt)"}"#.utf8))
            .expect(204)
    }

    private static func put(_ bytes: [UInt8], to meeting: TestMeeting) async throws {
        try await meeting.host.send(
            "PUT", "\(meeting.path)/image", body: bytes, headers: ["Content-Type": "image/png"]
        ).expect(200)
    }

    @Test func pictureOfTheMeetingIsAboveTheQuestions() async throws {
        try await TestSite.run { site in
            let host = try await site.signedIn()
            let meeting = try await site.openForm(by: host)
            var guest = PageBrowser(site.client)
            #expect(try await guest.get("/f/\(meeting.code)").count("form-picture") == 0)
            #expect(try await site.client.get(meeting.formPath).json?["picture"]?.isNull == true)
            try await Self.put(try SamplePictures.png, to: meeting)
            try await Self.describe(#"Two \"cups\" & a <plan>"#, meeting)
            let form = try await site.client.get(meeting.formPath).expect(200)
            let path = try #require(form.json?["picture"]?["path"]?.string)
            #expect(form.json?["picture"]?["alt"]?.string == #"Two "cups" & a <plan>"#)
            let page = try await guest.get("/f/\(meeting.code)").expect(200)
            let image =
                #"<img class="form-picture" src="\#(path)" alt="Two &quot;cups&quot; &amp; a &lt;plan&gt;" "#
                + #"width="64" height="48">"#
            #expect(page.count(image) == 1, "\(page.text)")
            let file = try await site.client.get(path).expect(200)
            #expect(file["Content-Type"] == "image/jpeg" && file["X-Content-Type-Options"] == "nosniff")
            #expect(file["Cache-Control"]?.contains("immutable") == true && file["Set-Cookie"] == nil)
            #expect(file.body.starts(with: [0xff, 0xd8]) && file.body.count <= 100 * 1024)
            try await site.client.get(path + "x").expect(404)
            try await site.client.get("/f/\(meeting.code)/picture/AAAA").expect(404)
            try await meeting.host.delete("\(meeting.path)/image").expect(204)
            try await site.client.get(path).expect(404)
            #expect(try await guest.get("/f/\(meeting.code)").count("form-picture") == 0)
        }
    }

    @Test func newPictureHasAnotherAddressAndNoDescription() async throws {
        try await TestSite.run { site in
            let meeting = try await site.openForm(by: try await site.signedIn())
            func picture() async throws -> (path: String?, alt: String?) {
                let picture = try await site.client.get(meeting.formPath).json?["picture"]
                return (picture?["path"]?.string, picture?["alt"]?.string)
            }
            try await Self.put(try SamplePictures.png, to: meeting)
            try await Self.describe("Cups", meeting)
            let first = try await picture()
            try await Self.put(try SamplePictures.webp, to: meeting)
            let second = try await picture()
            #expect(first.alt == "Cups" && second.alt == "" && first.path != second.path)
        }
    }

    /// A description belongs to the picture, so the next round has both.
    @Test func nextRoundHasThePictureWithItsDescription() async throws {
        try await TestSite.run { site in
            let meeting = try await site.openForm(by: try await site.signedIn())
            try await Self.put(try SamplePictures.png, to: meeting)
            try await Self.describe("Cups", meeting)
            let created = try await meeting.host.post("/v1/series/\(meeting.seriesID)/meetings", json: "{}")
            let next = try TestMeeting(created: created, host: meeting.host, anyone: site.client)
            #expect(try await site.client.get(next.formPath).json?["picture"]?.isNull == true, "it is a draft")
            try await next.perform("publish").expect(200)
            #expect(try await site.client.get(next.formPath).json?["picture"]?["alt"]?.string == "Cups")
        }
    }

    @Test func hostUploadsAndDescribesThePictureOnThePageOfDetails() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host)
            let (edit, image) = ("/meetings/\(meeting.id)/edit", "/meetings/\(meeting.id)/image")
            func alt() async throws -> String? {
                try await site.client.get(meeting.formPath).json?["picture"]?["alt"]?.string
            }
            try await host.get(edit).expect(200)
            #expect(try await host.upload(image, ["act": "upload", "alt": "A"]).status == 422, "there is no file")
            let file = (name: "image", bytes: try SamplePictures.png)
            try await host.upload(image, ["act": "upload", "alt": " Cups "], file: file).expect(303)
            #expect(try await alt() == "Cups")
            #expect(try await host.get(edit).text.contains(#"name="alt" type="text" value="Cups""#))
            try await host.upload(image, ["act": "upload", "alt": "Plates"]).expect(303)
            #expect(try await alt() == "Plates", "the description alone is saved too")
            let long = try await host.upload(image, ["act": "upload", "alt": String(repeating: "a", count: 301)])
            #expect(long.status == 422 && long.text.contains(#"id="alt-fault""#))
            try await host.upload(image, ["act": "upload", "alt": ""]).expect(303)
            #expect(try await alt() == "")
        }
    }

    /// Hosts who uploaded an image earlier did not know that participants would see it.
    @Test func imageFromAnEarlierVersionIsNotShownUntilItIsUploadedAgain() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host)
            try await Self.put(try SamplePictures.png, to: meeting)
            try await site.fixture.store.pool.execute(
                """
                UPDATE image SET banner = NULL, banner_digest = NULL, banner_width = NULL, banner_height = NULL
                """)
            #expect(try await site.client.get(meeting.formPath).json?["picture"]?.isNull == true)
            let edit = "/meetings/\(meeting.id)/edit"
            #expect(try await host.get(edit).count("Upload it again to show it") == 1)
            try await Self.put(try SamplePictures.png, to: meeting)
            #expect(try await site.client.get(meeting.formPath).json?["picture"]?["width"]?.int == 64)
            #expect(try await host.get(edit).count("Upload it again to show it") == 0)
        }
    }
}
