import Domain

/// Results as SVG.
public enum Charts {}
