import Cryptography
import Domain
import HTTPServer
import NIOCore
import Store

/// The organisation's look as pages show it: what is in their headers, and the files that they load.
struct OrganisationLook: Sendable {
    /// The values of the template `organisation`.
    struct Values: TemplateValues, Hashable {
        struct Logo: TemplateValues, Hashable {
            /// The address of the image.
            var source: String
            var width: Int
            var height: Int
        }

        var logo: Logo?
        /// The organisation's name.
        var organisationName: String?
    }

    /// What all addresses of the files begin with. The digest of the contents follows.
    static let pathPrefix = "/static/organisation-"

    /// The height of the logo in a header, in CSS pixels. Its width follows, up to `longestWidth`.
    private static let height = 32
    private static let longestWidth = 160

    /// The look before an admin has changed anything.
    static let none = OrganisationLook(.none)

    let revision: Int
    /// Nil without a name and a logo.
    let values: Values?
    /// The address of the stylesheet with the accent colour. Nil without one.
    let stylesheet: String?
    /// The files by their addresses.
    let files: [String: StaticFiles.File]

    init(_ organisation: Organisation) {
        var files: [String: StaticFiles.File] = [:]
        func add(_ bytes: [UInt8], _ ending: String, _ type: String, isText: Bool) -> String {
            let address = Self.pathPrefix + Base64URL.encode(Array(SHA256.hash(bytes).prefix(9))) + ending
            let buffer = ByteBuffer(bytes: bytes)
            files[address] = StaticFiles.File(
                bytes: buffer, compressed: isText ? Gzip.compress(buffer, level: 9) : nil, type: type)
            return address
        }
        revision = organisation.revision
        stylesheet = organisation.accent.map {
            let text = AccentStylesheet.text(of: AccentShades(of: $0))
            return add(Array(text.utf8), ".css", "text/css; charset=utf-8", isText: true)
        }
        let logo = organisation.logo.map { logo in
            let scale = min(
                Double(Self.height) / Double(logo.height), Double(Self.longestWidth) / Double(logo.width))
            return Values.Logo(
                source: add(
                    logo.bytes, logo.mediaType == "image/png" ? ".png" : ".jpg", logo.mediaType, isText: false),
                width: max(1, Int((Double(logo.width) * scale).rounded())),
                height: max(1, Int((Double(logo.height) * scale).rounded())))
        }
        let name = organisation.name
        values = logo == nil && name == nil ? nil : Values(logo: logo, organisationName: name)
        self.files = files
    }
}

/// The stylesheet that replaces the colours of the pages' tokens by shades of the accent colour.
enum AccentStylesheet {
    static func text(of shades: AccentShades) -> String {
        // Printed pages keep their own colours.
        """
        @media screen {
          :root { \(declarations(shades.light)) }
        }
        @media screen and (prefers-color-scheme: dark) {
          :root { \(declarations(shades.dark)) }
        }

        """
    }

    private static func declarations(_ appearance: AccentShades.Appearance) -> String {
        let tint = appearance.promise.hex
        return "--strong: \(appearance.strong.hex); --on-strong: \(appearance.onStrong.hex); "
            + "--promise: \(tint); --warm: \(tint);"
    }
}
