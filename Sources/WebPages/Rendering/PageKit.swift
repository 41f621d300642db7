import HTTPAPI
import HTTPTypes
import HummingbirdCore
import Mustache
import Store

/// The shared dependencies of all pages: API, store, templates, texts and static files.
final class PageKit: Sendable {
    /// The API, through which pages make changes and read most data.
    let api: InnerAPI
    /// The store, from which pages for hosts also read directly.
    let store: Store
    /// Results and trends that were read for hosts, shared by all requests.
    let hostCache = HostReadingCache()
    let largePages: LargePages
    /// The organisation's name, logo and accent colour.
    let organisation: OrganisationLooks
    let options: WebSiteOptions
    /// Adds headers to all responses.
    let protection: ResponsePolicy
    private let resources: PageResources

    init(
        api: InnerAPI, store: Store, resources: PageResources, options: WebSiteOptions, largePages: LargePages
    ) {
        self.api = api
        self.store = store
        self.resources = resources
        self.options = options
        self.largePages = largePages
        organisation = OrganisationLooks(store)
        protection = ResponsePolicy(publicURL: options.publicURL)
    }

    var files: StaticFiles { resources.files }

    /// The notice of a page whose next step is usually a mail. Nil if the service sends mail.
    func noMailNotice(_ texts: PageTexts, _ page: String) -> String? {
        options.sendsMail ? nil : texts.find("unmailed.\(page)")
    }

    /// Adds the headers of every response to the response of a file or a picture. For pages, `finish` does that.
    func secured(_ response: Response) -> Response {
        var response = response
        protection.protect(&response.headers)
        return response
    }

    func texts(_ language: Language) -> PageTexts {
        // `PageResources.load` reads the texts of every language.
        resources.texts[language]!
    }

    /// Renders a full page with the layout.
    func render<Model: PageModel>(_ model: Model, for page: PageRequest) -> String {
        render(model, in: LayoutValues(of: Model.self, for: page), page.texts)
    }

    /// Renders a full page. Its text depends on nothing but the parameters and the templates.
    func render<Model: PageModel>(_ model: Model, in layout: LayoutValues, _ texts: PageTexts) -> String {
        var values = layout.propertiesByName.merging(model.propertiesByName) { _, own in own }
        values["t"] = texts.groups
        return resources.templates.render(TemplateContext(values), withTemplate: Model.template) ?? ""
    }
}

/// The values of the template `layout`, which surrounds every page.
struct LayoutValues: TemplateValues, Hashable {
    /// A link to the same page in another language.
    struct LanguageLink: TemplateValues, Hashable {
        var code: String
        var name: String
        var path: String
        /// The other parameters of the query, each preceded by `&`.
        var rest: String
    }

    var lang: String
    var languages: [LanguageLink]
    /// The result of the previous request's form.
    var notice: String?
    var bar: NavigationBar.Values?
    var css: String
    /// The address of the stylesheet with the organisation's colour.
    var accentStyle: String?
    var organisation: OrganisationLook.Values?
    /// The address of the product's mark.
    var mark: String
    /// The address of the icons, each a symbol of this file.
    var icons: String
    var csrf: String
    var isWide: Bool
    var isReference: Bool

    /// - Parameter path: The path of a page without a query. Nil for the path and query of the request.
    init<Model: PageModel>(of _: Model.Type, for page: PageRequest, at path: String? = nil) {
        lang = page.language.rawValue
        // Browsers read a link that begins with two slashes, or with backslashes, as an address on another host.
        let requested = page.path.contains("//") || page.path.contains("\\") ? "" : page.path
        let rest = path == nil ? page.querySuffix(excluding: "lang") : ""
        languages = Language.allCases.filter { $0 != page.language }.map {
            LanguageLink(code: $0.rawValue, name: $0.name, path: path ?? requested, rest: rest)
        }
        notice = page.takeNotice()
        bar = page.bar?.values
        css = page.kit.files.address("afterword.css")
        (accentStyle, organisation) = (page.look.stylesheet, page.look.values)
        mark = page.kit.files.address("mark.svg")
        icons = page.kit.files.address("icons.svg")
        csrf = page.csrfToken
        (isWide, isReference) = (Model.isWide, Model.isReference)
    }
}
