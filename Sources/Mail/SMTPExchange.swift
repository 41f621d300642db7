import CCurl
import Domain
import Synchronization

/// One connection to an SMTP server. libcurl blocks, so each has a thread of its own.
final class SMTPExchange: Sendable {
    /// What is sent. Without it, the connection is closed after the authentication.
    struct Envelope: Sendable {
        var sender: EmailAddress
        var recipient: EmailAddress
        /// The message, with lines that end in CRLF.
        var bytes: [UInt8]
    }

    typealias Completion = @Sendable (Result<Void, MailRefusal>) -> Void

    private let server: SMTPServer
    private let password: String?
    private let authorities: String?
    private let timeout: Duration
    private let clientName: String
    private let envelope: Envelope?
    private let isCancelled = Atomic(false)

    private static let isLibraryReady = curl_shim_start() == CURLE_OK

    /// - Parameter clientName: The domain in `EHLO`.
    init(
        server: SMTPServer, password: String?, authorities: String?, timeout: Duration, clientName: String,
        envelope: Envelope?
    ) {
        self.server = server
        self.password = password
        self.authorities = authorities
        self.timeout = timeout
        self.clientName = clientName
        self.envelope = envelope
    }

    /// Ends the exchange within about a second. It fails then, unless the server has accepted the mail.
    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// Starts the exchange. The completion is called once, on the exchange's thread.
    func start(_ completion: @escaping Completion) {
        let job = Job(exchange: self, completion: completion)
        let retained = Unmanaged.passRetained(job)
        let started = curl_shim_start_thread(
            { pointer in
                guard let pointer else { return nil }
                let job = Unmanaged<Job>.fromOpaque(pointer).takeRetainedValue()
                job.completion(job.exchange.run())
                return nil
            }, retained.toOpaque())
        guard started != 0 else { return }
        retained.release()
        completion(.failure(MailRefusal("no thread can be started")))
    }

    private final class Job: Sendable {
        let exchange: SMTPExchange
        let completion: Completion

        init(exchange: SMTPExchange, completion: @escaping Completion) {
            self.exchange = exchange
            self.completion = completion
        }
    }

    // MARK: The thread

    /// What libcurl's callbacks read and write.
    fileprivate final class Progress {
        let bytes: [UInt8]
        let isCancelled: () -> Bool
        var offset = 0
        /// The server's last reply that refuses something.
        var refusal = ""

        init(bytes: [UInt8], isCancelled: @escaping () -> Bool) {
            self.bytes = bytes
            self.isCancelled = isCancelled
        }

        static func of(_ data: UnsafeMutableRawPointer?) -> Progress? {
            data.map { Unmanaged<Progress>.fromOpaque($0).takeUnretainedValue() }
        }
    }

    private func run() -> Result<Void, MailRefusal> {
        guard Self.isLibraryReady, let handle = curl_easy_init() else {
            return .failure(MailRefusal("libcurl cannot be initialised"))
        }
        defer { curl_easy_cleanup(handle) }
        let recipients = envelope.map { curl_slist_append(nil, "<\($0.recipient)>") } ?? nil
        defer { curl_slist_free_all(recipients) }
        let progress = Progress(bytes: envelope?.bytes ?? []) { self.isCancelled.load(ordering: .relaxed) }
        return withExtendedLifetime(progress) {
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(CURL_ERROR_SIZE)) { text in
                text.initialize(repeating: 0)
                let codes =
                    options(handle, progress)
                    + [curl_shim_set_data(handle, CURLOPT_ERRORBUFFER, text.baseAddress)]
                    + (recipients.map { [curl_shim_set_list(handle, CURLOPT_MAIL_RCPT, $0)] } ?? [])
                guard codes.allSatisfy({ $0 == CURLE_OK }) else {
                    return .failure(MailRefusal("libcurl refused the settings"))
                }
                let code = curl_easy_perform(handle)
                guard code != CURLE_OK else { return .success(()) }
                let explanation = text.baseAddress.map { String(cString: $0) } ?? ""
                let reason = explanation.isEmpty ? String(cString: curl_easy_strerror(code)) : explanation
                return .failure(refusal(code, reason: reason, reply: progress.refusal))
            }
        }
    }

    private func options(_ handle: UnsafeMutableRawPointer, _ progress: Progress) -> [CURLcode] {
        let data = Unmanaged.passUnretained(progress).toOpaque()
        let encryption = server.encryption == .none ? CURLUSESSL_NONE : CURLUSESSL_ALL
        var codes = [
            // The path is the name in EHLO.
            curl_shim_set_text(
                handle, CURLOPT_URL, "\(server.scheme)://\(server.host):\(server.port)/\(clientName)"),
            curl_shim_set_number(handle, CURLOPT_PROTOCOLS, Int(CURLPROTO_SMTP | CURLPROTO_SMTPS)),
            curl_shim_set_number(handle, CURLOPT_USE_SSL, Int(encryption.rawValue)),
            // The lowest TLS version. libcurl verifies certificates by default.
            curl_shim_set_number(handle, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
            curl_shim_set_text(handle, CURLOPT_PROXY, ""),
            curl_shim_set_number(handle, CURLOPT_NOSIGNAL, 1),
            curl_shim_set_number(handle, CURLOPT_CONNECTTIMEOUT_MS, min(milliseconds, 20_000)),
            curl_shim_set_number(handle, CURLOPT_TIMEOUT_MS, milliseconds),
            curl_shim_set_callback(handle, CURLOPT_HEADERFUNCTION, receiveReply),
            curl_shim_set_data(handle, CURLOPT_HEADERDATA, data),
            curl_shim_set_number(handle, CURLOPT_NOPROGRESS, 0),
            curl_shim_set_progress(handle, CURLOPT_XFERINFOFUNCTION, checkCancellation),
            curl_shim_set_data(handle, CURLOPT_XFERINFODATA, data),
        ]
        if let authorities { codes.append(curl_shim_set_text(handle, CURLOPT_CAINFO, authorities)) }
        if let user = server.user {
            codes += [
                curl_shim_set_text(handle, CURLOPT_USERNAME, user),
                curl_shim_set_text(handle, CURLOPT_PASSWORD, password ?? ""),
            ]
        }
        if let envelope {
            codes += [
                curl_shim_set_text(handle, CURLOPT_MAIL_FROM, "<\(envelope.sender)>"),
                curl_shim_set_number(handle, CURLOPT_UPLOAD, 1),
                curl_shim_set_callback(handle, CURLOPT_READFUNCTION, sendMessage),
                curl_shim_set_data(handle, CURLOPT_READDATA, data),
            ]
        } else {
            codes.append(curl_shim_set_number(handle, CURLOPT_CONNECT_ONLY, 1))
        }
        return codes
    }

    private var milliseconds: Int { max(Int(timeout / .milliseconds(1)), 1) }

    /// - Parameters:
    ///   - reason: libcurl's explanation. It may contain a code, but never an address.
    ///   - reply: The line with which the server refused, if it did.
    private func refusal(_ code: CURLcode, reason: String, reply: String) -> MailRefusal {
        switch code {
        case CURLE_ABORTED_BY_CALLBACK: return MailRefusal("it was interrupted")
        case CURLE_OPERATION_TIMEDOUT where timeout >= .seconds(1):
            return MailRefusal("it took longer than \(timeout.components.seconds) s")
        default: break
        }
        let status = reply.prefix(3)
        let hasStatus = reply.isEmpty || reason.contains(status)
        // Bad destination addresses (RFC 3463, section 3.2). Other refusals may be the fault of settings.
        let isPermanent = status.hasPrefix("5") && reply.dropFirst(3).dropFirst().hasPrefix("5.1.")
        return MailRefusal(
            hasStatus ? reason : "\(reason) (\(status))", output: String(EncodedWord.oneLine(reply).prefix(200)),
            isPermanent: isPermanent)
    }
}

private let receiveReply: curl_shim_callback = { bytes, size, count, data in
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    if let first = line.first, [UInt8(ascii: "4"), UInt8(ascii: "5")].contains(first) {
        var text = Substring(decoding: line, as: UTF8.self)
        while text.last?.isNewline == true { text.removeLast() }
        SMTPExchange.Progress.of(data)?.refusal = String(text)
    }
    return size * count
}

private let sendMessage: curl_shim_callback = { bytes, size, count, data in
    guard let progress = SMTPExchange.Progress.of(data), let bytes else { return 0 }
    let length = min(size * count, progress.bytes.count - progress.offset)
    progress.bytes.withUnsafeBytes {
        UnsafeMutableRawBufferPointer(start: bytes, count: length).copyMemory(
            from: .init(rebasing: $0[progress.offset..<progress.offset + length]))
    }
    progress.offset += length
    return length
}

/// Returns a number other than 0 to end the exchange. libcurl asks about once a second.
private let checkCancellation: curl_shim_progress = { data, _, _, _, _ in
    SMTPExchange.Progress.of(data)?.isCancelled() == true ? 1 : 0
}
