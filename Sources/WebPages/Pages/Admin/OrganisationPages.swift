import Domain
import Foundation
import HTTPAPI
import HTTPTypes
import Store

/// The organisation's name, logo and accent colour, which an admin changes.
struct OrganisationPages: Sendable {
    private static let path = "/admin/organisation"
    /// Room for the largest logo (2 MiB) and the other parts of the form.
    private static let maxBytes = 2 * 1024 * 1024 + 64 * 1024

    let editor: OrganisationEditor

    var routes: [PageRoute] {
        [
            PageRoute(
                Self.path, get: show, post: apply, maxBytes: Self.maxBytes, needsSession: true, acceptsFiles: true)
        ]
    }

    private func show(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        try await AdminPages.requireAdmin(session)
        return try await view(page)
    }

    /// The values as typed, or as stored.
    private struct Typed {
        var name: String
        var accent: String
        /// The value of the colour picker.
        var picked: String
    }

    private func view(
        _ page: PageRequest, typed: Typed? = nil, faults: [String: String] = [:], alert: String? = nil,
        status: HTTPResponse.Status = .ok
    ) async throws -> PageResponse {
        let texts = page.texts
        let stored = try await page.kit.store.organisations.current()
        let color = stored.accent?.hex ?? ""
        let typed = typed ?? Typed(name: stored.name ?? "", accent: color, picked: color)
        let heading = AdminHeading(
            "organisation", page, alert: alert ?? (faults.isEmpty ? nil : texts("builder.look-again")))
        func field(_ name: String, _ value: String) -> PageField {
            PageField(
                name: name, label: texts("organisation.\(name)"), value: value,
                hint: texts("organisation.\(name)-hint"), faults: [faults[name]].compactMap(\.self))
        }
        var name = field("name", typed.name)
        name.maxLength = OrganisationName.limit
        name.autocomplete = "organization"
        let shades = stored.accent.map(AccentShades.init)
        return page.page(
            OrganisationPage(
                title: heading.title, heading: heading, fields: [name.values, field("accent", typed.accent).values],
                picked: AccentColor(typed.picked)?.hex ?? AccentColor(typed.accent)?.hex ?? Self.ownColor,
                stored: color,
                shades: shades.map { Self.shades($0, page) } ?? [], file: field("logo", "").values,
                hasLogo: stored.logo != nil, script: page.kit.files.address("organisation.js")), status: status)
    }

    /// The colour of the pages without an accent colour.
    private static let ownColor = "#3452b4"

    private static func shades(_ shades: AccentShades, _ page: PageRequest) -> [OrganisationPage.Shade] {
        [("light", shades.light), ("dark", shades.dark)].map { name, appearance in
            let isChanged = appearance.strong != shades.accent
            let ratio = shades.accent.contrast(with: appearance.onStrong)
            return .init(
                color: appearance.strong.hex, label: page.texts("organisation.\(name)"),
                sentence: page.texts(
                    isChanged ? "organisation.derived" : "organisation.unchanged",
                    [
                        "shade": appearance.strong.hex, "color": shades.accent.hex,
                        "contrast": contrastText(appearance.contrast, page), "ratio": contrastText(ratio, page),
                    ]))
        }
    }

    /// Rounded down, so that no contrast looks sufficient that is not.
    private static func contrastText(_ ratio: Double, _ page: PageRequest) -> String {
        ((ratio * 10).rounded(.down) / 10)
            .formatted(.number.precision(.fractionLength(1)).locale(page.language.locale))
    }

    private func apply(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        try await AdminPages.requireAdmin(session)
        if page.isTooLarge {
            return try await view(
                page, faults: ["logo": page.texts("details.image-too-large")], status: .contentTooLarge)
        }
        let typed = Typed(
            name: page.fields["name"] ?? "",
            accent: (page.fields["accent"] ?? "").trimmingCharacters(in: .whitespaces),
            picked: page.fields["picked"] ?? "")
        guard CSRFGuard.admits(page) else {
            return try await view(page, typed: typed, alert: page.texts("form.open-too-long"), status: .forbidden)
        }
        var faults: [String: String] = [:]
        let name = OrganisationName(typed.name)
        if name == nil, !OrganisationName.isBlank(typed.name) {
            faults["name"] = page.texts("organisation.name-fault")
        }
        let chosen = Self.chosenColor(page, typed)
        let accent = AccentColor(chosen)
        if accent == nil, !chosen.isEmpty { faults["accent"] = page.texts("organisation.accent-fault") }
        guard faults.isEmpty else {
            return try await view(page, typed: typed, faults: faults, status: .unprocessableContent)
        }
        let logo: OrganisationEditor.Logo
        if page.fields["act"] == "remove-logo" {
            logo = .remove
        } else {
            logo = page.files["logo"].map { OrganisationEditor.Logo.file(Array($0)) } ?? .keep
        }
        do {
            try await editor.save(
                name: name?.text, accent: accent, logo: logo, by: try await session.reader())
        } catch let fault as OrganisationEditor.LogoFault {
            let (text, status) = Self.refusal(fault)
            return try await view(page, typed: typed, faults: ["logo": page.texts(text)], status: status)
        }
        return page.done("saved", at: Self.path)
    }

    /// The key of the text, and the status.
    private static func refusal(_ fault: OrganisationEditor.LogoFault) -> (String, HTTPResponse.Status) {
        switch fault {
        case .notAnImage: ("organisation.logo-fault", .unprocessableContent)
        case .tooManyPixels: ("organisation.logo-pixels", .unprocessableContent)
        case .overloaded: ("organisation.logo-busy", .serviceUnavailable)
        }
    }

    /// The typed colour, or the picked one if only that was changed. A picker always has a value, and without scripts
    /// the two do not follow each other.
    private static func chosenColor(_ page: PageRequest, _ typed: Typed) -> String {
        let before = page.fields["stored"] ?? ""
        guard typed.accent == before, let shown = page.fields["shown"], typed.picked != shown else {
            return typed.accent
        }
        return typed.picked
    }
}

/// The form for the organisation's look.
struct OrganisationPage: PageModel {
    /// A shade of the accent colour that pages use.
    struct Shade: TemplateValues {
        var color: String
        var label: String
        var sentence: String
    }

    static let template = "admin-organisation"
    var title: String
    var heading: AdminHeading
    var fields: [PageField.Values]
    /// The value of the colour picker.
    var picked: String
    /// The stored accent colour, or an empty text.
    var stored: String
    var shades: [Shade]
    /// The field for the logo.
    var file: PageField.Values
    var hasLogo: Bool
    var script: String
}
