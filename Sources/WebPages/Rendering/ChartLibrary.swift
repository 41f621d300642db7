import Foundation

/// Chart.js from Debian's package. It is optional, and is served together with the files of this package.
public enum ChartLibrary {
    /// The file name under which the library is served.
    static let name = "chart.js"
    public static let path = "/usr/share/javascript/chart.js/chart.min.js"
    public static let package = "libjs-chart.js"

    public static func isInstalled(at path: String = path) -> Bool { FileManager.default.isReadableFile(atPath: path) }
}
