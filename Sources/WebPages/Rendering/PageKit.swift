import Cryptography
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Mustache
import NIOCore

/// What all pages are made with: the API, the templates, the texts and the files.
final class PageKit: Sendable {
    let api: InnerAPI
    let options: WebSiteOptions
    let files: StaticFiles
    private let catalogues: [Language: PageTexts]
    private let templates: MustacheLibrary

    init(api: InnerAPI, options: WebSiteOptions) throws {
        self.api = api
        self.options = options
        let folder = try Self.folder()
        files = try StaticFiles(in: folder.appendingPathComponent("static"))
        catalogues = try Dictionary(
            uniqueKeysWithValues: Language.allCases.map { ($0, try PageTexts($0, from: folder)) })
        var templates: [String: MustacheTemplate] = [:]
        let place = folder.appendingPathComponent("templates")
        for file in try FileManager.default.contentsOfDirectory(atPath: place.path) where file.hasSuffix(".mustache") {
            let text = try String(contentsOf: place.appendingPathComponent(file), encoding: .utf8)
            templates[String(file.dropLast(".mustache".count))] = try MustacheTemplate(string: text)
        }
        self.templates = MustacheLibrary(templates: templates)
    }

    struct MissingFiles: Error, CustomStringConvertible {
        let description = "The folder afterword_WebPages.resources is not beside the program."
    }

    /// Where pages' files are, beside the program.
    private static func folder() throws -> URL {
        guard let folder = Bundle.module.url(forResource: "Resources", withExtension: nil) else { throw MissingFiles() }
        return folder
    }

    /// What to tell hosts where a code leads to an address that no telephone can open.
    func unreachable(_ texts: PageTexts) -> [String: String]? {
        options.openingFlags.map { ["words": texts("host.unreachable"), "flags": $0] }
    }

    /// What to say on a page that counts on a mail, where none is sent.
    func unmailed(_ texts: PageTexts, _ page: String) -> String? {
        options.sendsMail ? nil : texts.find("unmailed.\(page)")
    }

    func texts(_ language: Language) -> PageTexts {
        // Every language has its catalogue since `init`.
        catalogues[language]!
    }

    /// A whole page by its template.
    func render(_ template: String, _ values: [String: Any], for page: PageRequest) -> String {
        var all = values
        all["t"] = page.texts.tree
        all["lang"] = page.language.rawValue
        // Two slashes at the beginning of a link would be another host's name.
        let path = page.path.contains("//") || page.path.contains("\\") ? "" : page.path
        all["languages"] = Language.allCases.filter { $0 != page.language }.map {
            ["code": $0.rawValue, "name": $0.name, "path": path, "rest": page.queryBesides("lang")]
        }
        all["told"] = page.takeNotice()
        all["bar"] = page.bar?.values(page.texts)
        all["css"] = files.address("afterword.css")
        all["csrf"] = page.csrfToken
        return templates.render(all, withTemplate: template) ?? ""
    }
}
