import CCurl

/// A transfer with its easy handle, on the loop's thread.
struct RunningTransfer {
    let transfer: Transfer
    let handle: UnsafeMutableRawPointer
    let deadline: ContinuousClock.Instant?
    private let lists: [UnsafeMutablePointer<curl_slist>]

    /// Returns nil if libcurl rejects the request.
    init?(_ transfer: Transfer) {
        guard let handle = curl_easy_init() else { return nil }
        self.transfer = transfer
        self.handle = handle
        deadline = transfer.request.headTimeout.map { ContinuousClock.now + $0 }
        let headers = Self.list(Self.headerLines(transfer.request))
        let route = transfer.request.address.flatMap { address in
            // Matches any host and port, and keeps the port.
            Self.list([address.contains(":") ? "::[\(address)]:" : "::\(address):"])
        }
        lists = [headers, route].compactMap { $0 }
        let codes =
            Self.options(handle, transfer)
            + [
                headers.map { curl_shim_set_list(handle, CURLOPT_HTTPHEADER, $0) },
                route.map { curl_shim_set_list(handle, CURLOPT_CONNECT_TO, $0) },
            ].compactMap { $0 }
        guard codes.allSatisfy({ $0 == CURLE_OK }) else {
            free()
            return nil
        }
    }

    func free() {
        curl_easy_cleanup(handle)
        for list in lists { curl_slist_free_all(list) }
    }

    func error(_ code: CURLcode) -> FetchError {
        let isSent = curl_shim_get_number(handle, CURLINFO_REQUEST_SIZE) > 0
        let kind: FetchError.Kind =
            switch code {
            case CURLE_OPERATION_TIMEDOUT: .timeout
            case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_SEND_FAIL_REWIND:
                .closed
            case CURLE_WEIRD_SERVER_REPLY: .invalidResponse
            // An HTTP/0.9 response, which can be any text, or an unsupported scheme.
            case CURLE_UNSUPPORTED_PROTOCOL: isSent ? .invalidResponse : .invalidRequest
            case CURLE_URL_MALFORMAT: .invalidRequest
            default: .unreachable
            }
        return FetchError(kind: kind, isSent: isSent, description: String(cString: curl_easy_strerror(code)))
    }

    private static func options(_ handle: UnsafeMutableRawPointer, _ transfer: Transfer) -> [CURLcode] {
        let request = transfer.request
        let data = Unmanaged.passUnretained(transfer).toOpaque()
        var codes = [
            curl_shim_set_text(handle, CURLOPT_URL, request.url),
            curl_shim_set_number(handle, CURLOPT_PROTOCOLS, Int(CURLPROTO_HTTP | CURLPROTO_HTTPS)),
            curl_shim_set_number(handle, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
            // The lowest TLS version. libcurl verifies certificates by default.
            curl_shim_set_number(handle, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
            curl_shim_set_text(handle, CURLOPT_PROXY, ""),
            curl_shim_set_number(handle, CURLOPT_NOSIGNAL, 1),
            curl_shim_set_data(handle, CURLOPT_PRIVATE, data),
            curl_shim_set_callback(handle, CURLOPT_HEADERFUNCTION, receiveLine),
            curl_shim_set_data(handle, CURLOPT_HEADERDATA, data),
            curl_shim_set_callback(handle, CURLOPT_WRITEFUNCTION, receiveBody),
            curl_shim_set_data(handle, CURLOPT_WRITEDATA, data),
            curl_shim_set_number(handle, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(request.connectTimeout)),
        ]
        let sendsBody = request.body != nil || ["POST", "PUT", "PATCH"].contains(request.method)
        if request.method == "HEAD" {
            codes.append(curl_shim_set_number(handle, CURLOPT_NOBODY, 1))
        } else if sendsBody {
            // The body is read by a callback that can't rewind, so that libcurl never retries a request on another
            // connection. A request with an empty body gets a new connection for the same reason.
            codes += [
                curl_shim_set_number(handle, CURLOPT_POST, 1),
                curl_shim_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, request.body?.count ?? 0),
                curl_shim_set_callback(handle, CURLOPT_READFUNCTION, sendBody),
                curl_shim_set_data(handle, CURLOPT_READDATA, data),
                curl_shim_set_text(handle, CURLOPT_CUSTOMREQUEST, request.method),
            ]
            if request.body?.isEmpty ?? true { codes.append(curl_shim_set_number(handle, CURLOPT_FRESH_CONNECT, 1)) }
        } else {
            codes.append(curl_shim_set_text(handle, CURLOPT_CUSTOMREQUEST, request.method))
        }
        if request.closesConnection {
            codes += [
                curl_shim_set_number(handle, CURLOPT_FRESH_CONNECT, 1),
                curl_shim_set_number(handle, CURLOPT_FORBID_REUSE, 1),
            ]
        }
        if let limit = request.totalTimeout {
            codes.append(curl_shim_set_number(handle, CURLOPT_TIMEOUT_MS, milliseconds(limit)))
        }
        if let limit = request.idleTimeout {
            codes += [
                curl_shim_set_number(handle, CURLOPT_LOW_SPEED_LIMIT, 1),
                curl_shim_set_number(handle, CURLOPT_LOW_SPEED_TIME, Int(limit.components.seconds)),
            ]
        }
        return codes
    }

    /// The header lines of the request, and lines that disable the headers that libcurl would add.
    private static func headerLines(_ request: FetchRequest) -> [String] {
        let names = Set(request.headers.map { $0.name.lowercased() })
        return request.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
            + ["Accept", "Content-Type", "Expect"].filter { !names.contains($0.lowercased()) }.map { "\($0):" }
    }

    private static func list(_ lines: [String]) -> UnsafeMutablePointer<curl_slist>? {
        lines.reduce(nil) { list, line in curl_slist_append(list, line) ?? list }
    }

    private static func milliseconds(_ duration: Duration) -> Int { max(Int(duration / .milliseconds(1)), 1) }
}

extension Transfer {
    /// The transfer that was passed to libcurl. The loop keeps it alive.
    static func of(_ data: UnsafeMutableRawPointer?) -> Transfer? {
        data.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }
}

private let receiveLine: curl_shim_callback = { bytes, size, count, data in
    Transfer.of(data)?.receive(line: UnsafeRawBufferPointer(start: bytes, count: size * count))
    return size * count
}

private let receiveBody: curl_shim_callback = { bytes, size, count, data in
    let isTaken = Transfer.of(data)?.receive(body: UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? false
    return isTaken ? size * count : Int(CURL_WRITEFUNC_PAUSE)
}

private let sendBody: curl_shim_callback = { bytes, size, count, data in
    Transfer.of(data)?.send(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count)) ?? 0
}
