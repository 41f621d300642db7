import Contract
import Domain
import Foundation
import HTTPAPI
import Mustache

/// The files from which all pages are made: templates, texts, stylesheet and scripts.
public struct PageResources: Sendable {
    let files: StaticFiles
    let texts: [Language: PageTexts]
    let templates: MustacheLibrary

    /// The texts of mails in all languages.
    public var letters: LetterCatalogues {
        LetterCatalogues(Dictionary(uniqueKeysWithValues: texts.map { ($0.rawValue, $1.letters) }))
    }

    /// Writes the summaries of results that are mailed, in the words of the pages.
    public var summaries: SummaryWriter {
        let known = Dictionary(uniqueKeysWithValues: texts.map { ($0.rawValue, $1) })
        return SummaryWriter(languages: known.keys.sorted()) { facts, language in
            guard let texts = known[language] else { return (facts.meeting.title, "") }
            let summary = TeamSummary(facts, texts)
            return (summary.subject, summary.text)
        }
    }

    struct MissingFiles: Error, CustomStringConvertible {
        let description = "The folder afterword_WebPages.resources is not beside the program."
    }

    /// Throws an error if a template, text or static file is missing or cannot be parsed.
    ///
    /// Templates are parsed in parallel. Parsing them one after the other took half of the start-up time.
    public static func load() async throws -> PageResources {
        let folder = try folder()
        let templates = try await withThrowingTaskGroup(of: (name: String, template: MustacheTemplate).self) { group in
            let templatesFolder = folder.appendingPathComponent("templates")
            for path in try FileManager.default.subpathsOfDirectory(atPath: templatesFolder.path)
            where path.hasSuffix(".mustache") {
                group.addTask {
                    let file = templatesFolder.appendingPathComponent(path)
                    let text = try String(contentsOf: file, encoding: .utf8)
                    return (file.deletingPathExtension().lastPathComponent, try MustacheTemplate(string: text))
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.name] = $1.template }
        }
        return PageResources(
            files: try StaticFiles(in: folder.appendingPathComponent("static")),
            texts: try Dictionary(
                uniqueKeysWithValues: Language.allCases.map { ($0, try PageTexts($0, from: folder)) }),
            templates: MustacheLibrary(templates: templates))
    }

    /// The folder with templates, texts and static files. It is beside the program.
    static func folder() throws -> URL {
        guard let folder = Bundle.module.url(forResource: "Resources", withExtension: nil) else { throw MissingFiles() }
        return folder
    }
}
