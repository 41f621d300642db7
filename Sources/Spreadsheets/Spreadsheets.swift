import CXLSXWriter

/// XLSX files by libxlsxwriter.
public enum Spreadsheets {
    public static var version: String { String(cString: lxw_version()) }
}
