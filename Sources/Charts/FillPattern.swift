/// The fill of a bucket. Its pattern distinguishes the bucket without color, in print or for color-blind readers.
struct FillPattern: Sendable, Equatable {
    enum Motif: Int, Sendable, CaseIterable {
        case solid, rising, dots, horizontal, hatch, vertical, checks, falling, rings, grid, zigzag, triangles, crosses
        case bricks
    }

    /// The number of different patterns. One version of a question has fewer buckets. If several versions together have
    /// more, patterns repeat.
    static let count = 4 * Motif.allCases.count - 2

    let motif: Motif
    /// Whether the fill is white with colored lines instead of colored with white lines.
    let isInverted: Bool
    let isLarge: Bool

    /// The pattern of the bucket at an index.
    init(at index: Int) {
        let motifs = Motif.allCases.count
        let index = index % Self.count
        // A solid fill looks the same at any size, so it has no large variant.
        let isLarge = index >= 2 * motifs
        let indexInSize = isLarge ? index - 2 * motifs : index
        let motifsInSize = isLarge ? motifs - 1 : motifs
        self.isLarge = isLarge
        isInverted = indexInSize >= motifsInSize
        motif = Motif.allCases[indexInSize % motifsInSize + (isLarge ? 1 : 0)]
    }

    /// The side of the pattern's square tile.
    private var side: Double { isLarge ? 14 : 8 }

    /// The SVG definition of the pattern in a color.
    func definition(id: String, color: String) -> String {
        let (background, lines) = isInverted ? (Palette.background, color) : (color, Palette.background)
        var markup = Markup()
        markup.open(
            "pattern",
            [
                "id": id, "width": NumberFormat.coordinate(side), "height": NumberFormat.coordinate(side),
                "patternUnits": "userSpaceOnUse",
            ])
        markup.leaf(
            "rect",
            ["width": NumberFormat.coordinate(side), "height": NumberFormat.coordinate(side), "fill": background])
        if let path {
            let attributes: Markup.Attributes =
                path.isFilled
                ? ["d": path.data, "fill": lines]
                : [
                    "d": path.data, "fill": "none", "stroke": lines,
                    "stroke-width": NumberFormat.coordinate(side * (isInverted ? 0.22 : 0.16)),
                ]
            markup.leaf("path", attributes)
        }
        markup.close("pattern")
        return markup.text
    }

    /// The path of the motif in the tile. It is defined for a tile of 8 units and scaled. Lines that continue in the
    /// next tile are drawn beyond the edges.
    private var path: (data: String, isFilled: Bool)? {
        let shape: (String, Bool)? =
            switch motif {
            case .solid: nil
            case .rising: ("M-2 2L2 -2M0 8L8 0M6 10L10 6", false)
            case .falling: ("M6 -2L10 2M0 0L8 8M-2 6L2 10", false)
            case .hatch: ("M0 8L8 0M0 0L8 8M-2 2L2 -2M6 10L10 6M6 -2L10 2M-2 6L2 10", false)
            case .horizontal: ("M0 4H8", false)
            case .vertical: ("M4 0V8", false)
            case .grid: ("M0 4H8M4 0V8", false)
            case .zigzag: ("M-1 6L2 3L6 7L9 4", false)
            case .rings: ("M4 1.6A2.4 2.4 0 1 1 3.99 1.6z", false)
            case .bricks: ("M0 1H8M0 5H8M2 1V5M6 5V9M6 0V1", false)
            case .crosses: ("M4 1.5V6.5M1.5 4H6.5", false)
            case .dots: ("M4 2.4A1.6 1.6 0 1 1 3.99 2.4z", true)
            case .checks: ("M0 0H4V4H0zM4 4H8V8H4z", true)
            case .triangles: ("M4 1.5L6.8 6.5H1.2z", true)
            }
        guard let shape else { return nil }
        return (Self.scaled(shape.0, by: side / 8), shape.1)
    }

    /// Scales all numbers of a path except the third to fifth one after an `A`, which are the angle and the flags of
    /// the arc.
    private static func scaled(_ path: String, by factor: Double) -> String {
        guard factor != 1 else { return path }
        var scaled = ""
        var number = ""
        var argument = 0
        var isArc = false
        func finish() {
            guard let value = Double(number) else { return }
            let isUnscaled = isArc && (2...4).contains(argument % 7)
            scaled += isUnscaled ? number : NumberFormat.coordinate(value * factor)
            argument += 1
            number = ""
        }
        for character in path {
            if character.isNumber || character == "." || character == "-" {
                number.append(character)
            } else {
                finish()
                if character.isLetter { (argument, isArc) = (0, character == "A") }
                scaled.append(character)
            }
        }
        finish()
        return scaled
    }
}
