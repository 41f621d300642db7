import Foundation

/// Chart.js from Debian's package. It is optional, and is served like the static files of the pages.
public enum ChartLibrary {
    /// The file name under which the library is served.
    static let name = "chart.js"
    public static let path = "/usr/share/javascript/chart.js/chart.min.js"
    public static let package = "libjs-chart.js"

    public static func isInstalled(at path: String = path) -> Bool { FileManager.default.isReadableFile(atPath: path) }
}
