/// Frequent words without a meaning of their own, in case-folded spelling.
enum StopWords {
    static let all = Set(
        [english, korean, chinese].flatMap { $0.split(whereSeparator: \.isWhitespace).map(String.init) })

    private static let english = """
        a about after again all also am an and any are aren't as at be because been before being both but by can can't
        cannot could couldn't did didn't do does doesn't doing don't each even few for from had hadn't has hasn't have
        haven't having he he'd he'll he's her here hers herself him himself his how i i'd i'll i'm i've if in into is
        isn't it it'd it'll it's its itself just let's me more most my myself no nor not of off on once only or other our
        ours ourselves out over own same she she'd she'll she's should shouldn't so some such than that that's the their
        theirs them themselves then there there's these they they'd they'll they're they've this those through to too
        under until up us very was wasn't we we'd we'll we're we've were weren't what what's when where which while who
        whom why will with won't would wouldn't you you'd you'll you're you've your yours yourself yourselves
        """

    private static let korean = """
        가장 거 건 걸 것 것이 게 겁니다 그 그것 그게 그냥 그녀 그는 그들 그래서 그러나 그런 그런데 그럼 그렇게 그리고 나 나는 내 내가 너 너무 네
        누구 다 다시 다른 더 더욱 데 때 때문 때문에 또 또는 또한 뭐 뭔가 및 바 밖에 별로 보다 수 아주 안 약간 어느 어떤 어떻게 없는
        없다 없어요 없었습니다 없습니다 여기 여러 역시 왜 우리 위해 의해 이 이것 이게 이런 이렇게 이번 있는 있다 있어서 있어요 있었다
        있었습니다 있으면 있습니다 자기 저 저는 저희 저희가 제 제가 조금 좀 중 즉 지금 참 통해 하고 하는 하나 하다 하면 하지만 한 할
        합니다 해 해서 해요 했다 했습니다 했어요 등 들 것을 것은 것도 거의 매우 정말 진짜 같은 같아요 같습니다 된 되는 됩니다 되어 될 대한 대해
        """

    private static let chinese = """
        的 了 是 我 也 在 有 就 都 很 和 不 还 没 没有 这 那 你 他 她 它 们 我们 你们 他们 她们 它们 这个 那个 这些 那些 这样 那样 这么
        那么 这里 那里 这儿 那儿 一 一个 一些 一下 个 上 下 里 中 对 对于 把 被 让 给 从 到 向 往 与 及 或 或者 而 而且 并 并且 但 但是
        可是 不过 因为 所以 因此 如果 虽然 然后 就是 只是 只 只有 还是 还有 也是 不是 是不是 都是 要 会 能 可以 可 得 地 着 过 去 来 说
        又 再 才 太 最 更 比 比较 非常 真 真的 吧 吗 呢 啊 呀 哦 嘛 哈 之 其 以 为 什么 怎么 怎样 为什么 多 少 些 每 各 自己 其他 其实 已经
        时 时候 后 前 之后 之前 等 等等 用 跟 像 如 做 看 想 当 于 由 所 很多 有点 有些 点 次 本 大家 人 不能 不会 不要
        的是 我的 你的 我是 都有 也不 也是 却 此 该 无 第 两 家 天 年 月 日 元 间 员 性 级 号 位 件 张 种 台 条 块 出 入 离 一样 一直 一点
        這 個 們 我們 你們 他們 這個 那個 這些 這樣 還 還是 還有 沒有 沒 對 會 為 為什麼 什麼 怎麼 來 說 過 給 讓 從 與 而且 並 並且 後 時 時候
        因為 雖然 但是 於 嗎 真的 點 裡 裏 已經 很多 有點 大家 不會 不能 不要 可以 就是 只是
        """
}
