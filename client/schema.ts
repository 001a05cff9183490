// Written by `npm run docs` from the OpenAPI document.
export interface paths {
    "/api/v1/targets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the targets, oldest first
         * @description Needs the scope `read`.
         */
        get: operations["listTargets"];
        put?: never;
        /**
         * Create a target
         * @description Probing starts within one poll interval of the probers (10 s). Loopback and private addresses are rejected unless the server allows them.
         *
         *     Needs the scope `write`.
         */
        post: operations["createTarget"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/targets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a target
         * @description Needs the scope `read`.
         */
        get: operations["getTarget"];
        put?: never;
        post?: never;
        /**
         * Delete a target
         * @description Its results are kept until their retention ends.
         *
         *     Needs the scope `write`.
         */
        delete: operations["deleteTarget"];
        options?: never;
        head?: never;
        /**
         * Change a target
         * @description Omitted fields keep their values; `settings` and `vantages` are replaced as a whole. A target can be sent back as read: `***` in place of a secret, and a `keyPem` of null with the same `certPem`, keep the stored value. A `url` with `***` in it keeps the stored one where nothing else in it is changed. Rejected: `***` where nothing is stored, and a change of origin, `address` or `resolver` that would send a stored secret elsewhere.
         *
         *     Needs the scope `write`.
         */
        patch: operations["updateTarget"];
        trace?: never;
    };
    "/api/v1/targets/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One statistic of one metric of each target
         * @description Oldest target first. Over the main results of one range, and with `groupBy` of each region or carrier as well: the margins of `/api/v1/matrix`. Pages after the first are of the same range where `from` and `to` are given.
         *
         *     Needs the scope `read`.
         */
        get: operations["getTargetFigures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/targets/{id}/staples": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * OCSP stapling of a target by server address and certificate type
         * @description Based on the clean main results of at most 7 days. Counted are full handshakes whose certificate names a responder or that carried a staple. A server may not staple on the first request after its start: a ratio says more than one result.
         *
         *     Needs the scope `read`.
         */
        get: operations["getStaples"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/targets/{id}/failures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Failures of a target by phase, reason and source, with share, location and duration
         * @description Based on the main results of a range. Shares are exact; the breakdown into kinds is based on the latest 20,000 failures.
         *
         *     Needs the scope `read`.
         */
        get: operations["getFailures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/targets/{id}/advice": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What to change at a target, on what evidence, worth what
         * @description Based on a sample of the results of at most 31 days, some of each vantage. Round trips are worth the round-trip time of each vantage; `savesMs` is the mean over all vantages by their weights. Empty for a healthy server.
         *
         *     Needs the scope `read`.
         */
        get: operations["getAdvice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/vantages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the vantages, oldest first
         * @description Needs the scope `read`.
         */
        get: operations["listVantages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/vantages/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a vantage
         * @description Needs the scope `read`.
         */
        get: operations["getVantage"];
        put?: never;
        post?: never;
        /**
         * Delete a vantage and revoke its prober’s access
         * @description A prober without any vantage is locked out. Results are kept until their retention ends.
         *
         *     Needs the scope `write`.
         */
        delete: operations["deleteVantage"];
        options?: never;
        head?: never;
        /**
         * Change the labels of a vantage
         * @description Earlier results stay with the vantage and are shown under its new labels. Setting `mayHoldSecrets` needs the scope `admin`, and ends the unused tokens of the vantage.
         *
         *     Needs the scope `write`.
         */
        patch: operations["updateVantage"];
        trace?: never;
    };
    "/api/v1/enrolments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a vantage and a one-time token for its prober
         * @description A vantage that `mayHoldSecrets` needs the scope `admin`.
         *
         *     Needs the scope `write`.
         */
        post: operations["createEnrolment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/vantages/{id}/enrolments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a new one-time token for a vantage
         * @description For a prober on another machine, or one whose data folder is lost. Earlier unused tokens of the vantage stop working. Its present prober goes on until the token is exchanged; from then on the new one has the vantage. For a vantage that `mayHoldSecrets` this needs the scope `admin`.
         *
         *     Needs the scope `write`.
         */
        post: operations["renewEnrolment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List results, newest first
         * @description `from` and `to` bound `startedAt`, half-open. All handshakes of a check are listed, including those that follow the main one; `variant=main` excludes them. All that match, as a file: `GET /api/v1/exports/results`.
         *
         *     Needs the scope `read`.
         */
        get: operations["listResults"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/results/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a result with all its evidence
         * @description Needs the scope `read`.
         */
        get: operations["getResult"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/exports/results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export results, newest first, as CSV, NDJSON or Parquet
         * @description All that match, however many, sent as they are read. CSV has a header row (RFC 4180), NDJSON a `Result` a line, and Parquet the columns of the CSV with their types: numbers are doubles, instants are timestamps of milliseconds. An export that fails midway ends without the end of its HTTP message (the last chunk, or the stream of HTTP/2): a client reports that as an error.
         *
         *     Needs the scope `read`.
         */
        get: operations["exportResults"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A statistic of one metric over time
         * @description A point is `[instant, value, n]`; a bucket without data has value null and n 0. Percentiles come from merged histograms, never from averaged percentiles.
         *
         *     Needs the scope `read`.
         */
        get: operations["getSeries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/matrix": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A statistic of one metric by region and carrier
         * @description Rows are regions, columns carriers, with margins per region, per carrier and overall. A cell without data has value null and n 0.
         *
         *     Needs the scope `read`.
         */
        get: operations["getMatrix"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/measurements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the measurements of the last week, newest first
         * @description For those who may create them: others may read a measurement whose id they know. At most the newest 1,000 are kept.
         *
         *     Needs the scope `write`.
         */
        get: operations["listMeasurements"];
        put?: never;
        /**
         * Probe a URL once from many vantages, now
         * @description Probers take the tasks within a second; their answers are awaited for a minute. A vantage whose prober was not heard for a minute fails at once with the reason `prober_away`. The Results belong to no target: they are in no statistic, and are deleted after a week. Secrets of targets are not used. At most 200 vantages a measurement, and, unless the server is set otherwise, 10 measurements a minute for a key and 30 for a host. Loopback and private addresses are rejected unless the server allows them.
         *
         *     Needs the scope `write`.
         */
        post: operations["createMeasurement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/measurements/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a measurement with the answers so far
         * @description With `Accept: text/event-stream`, server-sent events: first `measurement` (a `Measurement`), then `answers` (a `MeasurementProgress`) whenever vantages have answered, last `end` (a `MeasurementProgress`, also with the vantages that did not answer), after which a client must close the stream. With `Last-Event-ID` the stream goes on after that event; answers of the second before it may come again.
         *
         *     Needs the scope `read`.
         */
        get: operations["getMeasurement"];
        put?: never;
        post?: never;
        /**
         * Cancel a measurement
         * @description Vantages that have not answered fail with the reason `cancelled`, and probers do not begin what waits for its turn; the answers so far stay.
         *
         *     Needs the scope `write`.
         */
        delete: operations["cancelMeasurement"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/measurements/{id}/share": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a link that shows a measurement without sign-in
         * @description An earlier link stops working. The link leads to this one page alone, without secret parameters of URLs and without the names of vantages, and ends when the measurement is deleted.
         *
         *     Needs the scope `admin`.
         */
        post: operations["shareMeasurement"];
        /**
         * Revoke the link of a measurement
         * @description Needs the scope `admin`.
         */
        delete: operations["unshareMeasurement"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/regressions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List lasting changes, largest first
         * @description Needs the scope `read`.
         */
        get: operations["listRegressions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/incidents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List incidents, the last opened or the gravest first
         * @description Needs the scope `read`.
         */
        get: operations["listIncidents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/incidents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an incident with its timeline
         * @description Needs the scope `read`.
         */
        get: operations["getIncident"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Acknowledge, resolve, accept, merge or split an incident, or call it not useful
         * @description An acknowledged incident sends no reminders. An incident resolved manually reopens if it continues; an accepted one if series join. `not_useful` doubles the effect that new incidents of its kind, rule and scope need for 14 days. Of two concurrent requests one gets 409.
         *
         *     Needs the scope `write`.
         */
        patch: operations["updateIncident"];
        trace?: never;
    };
    "/api/v1/detections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was found at single series, the latest first
         * @description With `incident=false` the log of what was too small to open an incident.
         *
         *     Needs the scope `read`.
         */
        get: operations["listDetections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow what happens, as server-sent events
         * @description `minute` `{minute, targets}`: a minute is over and its rollups are computed; `targets` have results in it. `incident` `{changes, incident}`: an incident was `opened` (also again), `acknowledged`, `resolved` or `changed` otherwise, several of these where they came within a second or were missed; `incident` is an `Incident` as lists have it. `gap` `{from, to}`: events between these instants are not told, read the lists again. With `Last-Event-ID` what was missed comes first, of the last hour; what changed in the minute before that event may come again. A comment or an `id` comes at least every 20 seconds. At most 20 streams a key, session or address, and 400 a web process (429). A reader for whom 1,000 events wait is cut off.
         *
         *     Needs the scope `read`.
         */
        get: operations["getEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/markers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deployment and change markers, newest first
         * @description Needs the scope `read`.
         */
        get: operations["listMarkers"];
        put?: never;
        /**
         * Mark a deployment or configuration change
         * @description Shown on charts; incidents that begin within an hour of it list it as a candidate cause. With `compareMinutes` a comparison around it is computed, too.
         *
         *     Needs the scope `write`.
         */
        post: operations["createMarker"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/markers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a marker
         * @description Needs the scope `read`.
         */
        get: operations["getMarker"];
        put?: never;
        post?: never;
        /**
         * Delete a marker
         * @description Needs the scope `write`.
         */
        delete: operations["deleteMarker"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/comparisons": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List comparisons, newest first
         * @description Needs the scope `read`.
         */
        get: operations["listComparisons"];
        put?: never;
        /**
         * Compare two windows of a target
         * @description Around a marker, around the onset of an incident, or of any two ranges. It is computed within seconds, or once the later window is over; the event `comparison.ready` says so.
         *
         *     Needs the scope `write`.
         */
        post: operations["createComparison"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/comparisons/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a comparison
         * @description Needs the scope `read`.
         */
        get: operations["getComparison"];
        put?: never;
        post?: never;
        /**
         * Delete a comparison
         * @description Needs the scope `write`.
         */
        delete: operations["deleteComparison"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/exports/comparisons/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export a comparison as CSV
         * @description A row for all, then one a region, a region and carrier, a vantage; the header alone where there are no figures.
         *
         *     Needs the scope `read`.
         */
        get: operations["exportComparison"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/comparisons/{id}/share": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a link that shows a comparison without sign-in
         * @description An earlier link stops working. The link leads to this one page alone.
         *
         *     Needs the scope `admin`.
         */
        post: operations["shareComparison"];
        /**
         * Revoke the link of a comparison
         * @description Needs the scope `admin`.
         */
        delete: operations["unshareComparison"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/alert-rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the alert rules, oldest first
         * @description Needs the scope `read`.
         */
        get: operations["listAlertRules"];
        put?: never;
        /**
         * Create an alert rule
         * @description Takes effect within a minute.
         *
         *     Needs the scope `write`.
         */
        post: operations["createAlertRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/alert-rules/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What a rule would have done in the last week
         * @description Nothing is stored. Threshold and down rules are replayed over rollups every ten minutes (windows under ten minutes: every minute of the last day), detector rules over the stored detections. `replay` is null for the other kinds.
         *
         *     Needs the scope `write`.
         */
        post: operations["previewAlertRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/alert-rules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a rule
         * @description Needs the scope `read`.
         */
        get: operations["getAlertRule"];
        put?: never;
        post?: never;
        /**
         * Delete a rule
         * @description Its open incidents are resolved without notification.
         *
         *     Needs the scope `write`.
         */
        delete: operations["deleteAlertRule"];
        options?: never;
        head?: never;
        /**
         * Change a rule
         * @description Omitted fields keep their values; `params` is replaced as a whole.
         *
         *     Needs the scope `write`.
         */
        patch: operations["updateAlertRule"];
        trace?: never;
    };
    "/api/v1/silences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the silences, oldest first
         * @description Needs the scope `read`.
         */
        get: operations["listSilences"];
        put?: never;
        /**
         * Create a silence
         * @description Once, from startsAt to endsAt, or at the times of a cron expression, each for durationMinutes. Incidents still open; those unresolved when the silence ends are notified then.
         *
         *     Needs the scope `write`.
         */
        post: operations["createSilence"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/silences/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a silence
         * @description Needs the scope `read`.
         */
        get: operations["getSilence"];
        put?: never;
        post?: never;
        /**
         * Delete a silence
         * @description Suppressed incidents that are still open are notified within a minute.
         *
         *     Needs the scope `write`.
         */
        delete: operations["deleteSilence"];
        options?: never;
        head?: never;
        /**
         * Change a silence
         * @description Omitted fields keep their values.
         *
         *     Needs the scope `write`.
         */
        patch: operations["updateSilence"];
        trace?: never;
    };
    "/api/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhooks, oldest first
         * @description Needs the scope `read`.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description The secret is only in this response. Loopback and private addresses are rejected, also when a name resolves to one, unless the server allows them.
         *
         *     Needs the scope `write`.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook
         * @description Needs the scope `read`.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description Messages not yet sent are cancelled.
         *
         *     Needs the scope `write`.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook
         * @description Omitted fields keep their values; `settings` is replaced as a whole; a `url` that contains `***` keeps the stored one. Disabling cancels messages not yet sent; enabling clears `disabledReason` and `slowUntil`.
         *
         *     Needs the scope `write`.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/api/v1/webhooks/{id}/secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the signing secret of a webhook
         * @description For the formats `standard` and `template`. Until the older secrets expire, every message is signed with each of them.
         *
         *     Needs the scope `write`.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send `webhook.test`
         * @description Needs the scope `write`.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview the message for an event type
         * @description The latest actual message of this type in the webhook’s format, or a sample if there is none yet.
         *
         *     Needs the scope `read`.
         */
        get: operations["previewWebhook"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview the message of a webhook before it is created
         * @description A sample in the given format, language and template; nothing is stored or sent. Input is validated as for creation.
         *
         *     Needs the scope `write`.
         */
        post: operations["previewWebhookDraft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the messages of a webhook, newest first
         * @description Messages are kept for 30 days after their last attempt.
         *
         *     Needs the scope `read`.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a message and its attempts
         * @description Needs the scope `read`.
         */
        get: operations["getDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deliveries/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a message again, under its own id
         * @description Attempts start over and `webhook-id` stays the same, so that a receiver can recognise a duplicate. Rejected for a message that is pending or grouped (replay its group), or whose webhook is disabled.
         *
         *     Needs the scope `write`.
         */
        post: operations["replayDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/status-pages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the public status pages
         * @description Needs the scope `admin`.
         */
        get: operations["listStatusPages"];
        put?: never;
        /**
         * Make a public status page
         * @description Anyone with its link sees the names and the state of the targets, their TLS times and their open incidents: no addresses, settings or other targets. At most 100.
         *
         *     Needs the scope `admin`.
         */
        post: operations["createStatusPage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/status-pages/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a status page and end its link
         * @description Needs the scope `admin`.
         */
        delete: operations["deleteStatusPage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the active API keys
         * @description Needs the scope `admin`.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Create an API key
         * @description Needs the scope `admin`.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description Needs the scope `admin`.
         */
        delete: operations["deleteKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the current session */
        get: operations["getSession"];
        put?: never;
        /**
         * Sign in to the dashboard
         * @description Sets the cookie `rt_session_…` (over https `__Host-rt_session_…`; the end of the name stands for the installation, of which one host may have several) for 14 days, and `rt_browser_…`, which identifies this browser to the rate limit. After five wrong passwords from one address (an IPv6 /64), attempts are blocked for 1 s, doubling up to 15 min; `Retry-After` gives the wait.
         */
        post: operations["createSession"];
        /** Sign out of the dashboard */
        delete: operations["deleteSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the browsers that are signed in
         * @description Needs the scope `admin`.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /**
         * Sign out everywhere
         * @description Ends every session, including the caller’s. API keys keep working.
         *
         *     Needs the scope `admin`.
         */
        delete: operations["deleteSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the administrator's password
         * @description Ends every session except the caller’s. A session must also send the current password.
         *
         *     Needs the scope `admin`.
         */
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/demo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the state of the demo
         * @description Needs the scope `read`.
         */
        get: operations["getDemo"];
        put?: never;
        post?: never;
        /**
         * Remove the demo permanently
         * @description Deletes its targets, vantages, results and rollups. This cannot be undone.
         *
         *     Needs the scope `admin`.
         */
        delete: operations["deleteDemo"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/retention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how long each class of data is kept, and what it takes on disk
         * @description Needs the scope `admin`.
         */
        get: operations["getRetention"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change how long classes of data are kept
         * @description What is older than a shorter length is deleted within the hour, for good. A class that an environment variable fixes is refused.
         *
         *     Needs the scope `admin`.
         */
        patch: operations["updateRetention"];
        trace?: never;
    };
    "/api/v1/audience": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how the users are spread over regions and carriers
         * @description Until it is changed, in China as its inhabitants and the customers of its carriers are.
         *
         *     Needs the scope `read`.
         */
        get: operations["getAudience"];
        put?: never;
        post?: never;
        /**
         * Go back to the default spread of users
         * @description Needs the scope `admin`.
         */
        delete: operations["resetAudience"];
        options?: never;
        head?: never;
        /**
         * Change how the users are spread over regions and carriers
         * @description Replaces both lists; a list that is left out is empty. What is not named has the weight 1.
         *
         *     Needs the scope `admin`.
         */
        patch: operations["updateAudience"];
        trace?: never;
    };
    "/api/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ingest/enrol": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Exchange a one-time token for a credential */
        post: operations["enrolProber"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ingest/assignments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the checks of a prober that changed since a revision */
        get: operations["getAssignments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ingest/results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit a batch of results
         * @description JSON, plain or with `Content-Encoding: gzip`. A result is stored once per id, however often it is sent; another result with its id is rejected. Invalid results are listed in `rejected`; the others are stored. One with `retry: true` should be sent again: with a corrected time if only its time is invalid, otherwise later. A `report` may be included, also without results; one with the same `since` replaces the earlier one. Wait `nextBatchMs` before the next batch, unless 250 results are waiting.
         */
        post: operations["ingestResults"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ingest/measurements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Take the probes that measurements ask for now
         * @description Answered as soon as there are some, after 25 seconds at the latest. Each is given out once.
         */
        get: operations["getTasks"];
        put?: never;
        /**
         * Submit Results of a measurement
         * @description The first Result of each vantage is stored, also late ones, while the measurement is kept. Invalid ones are listed in `rejected`.
         */
        post: operations["submitAnswers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the process serves requests */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that database, migrations and jobs are up */
        get: operations["getReady"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metrics in the Prometheus text format
         * @description Without authentication `roundtrip_up` and `roundtrip_build_info{version}` alone. With read access (a key with the scope `read`, or a public dashboard) the process (memory, event loop, requests, ingested results), `roundtrip_database_up` and, over the last hour, availability and TLS times of each target and the missed and delayed runs of each prober, how far rollups, detection and messages are behind, when each vantage was heard last, and when the certificate of each target ends. While the database is away the figures of targets are the last ones read, `roundtrip_targets_age_seconds` old; a key that worked within a day is accepted, any other is anonymous.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics/probes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metrics of each target and vantage in the Prometheus text format
         * @description The newest result of each target that is not paused at each vantage that probes it, of the last three periods, under the names of blackbox_exporter: `probe_success`, `probe_duration_seconds`, `probe_http_duration_seconds{phase}` (`resolve`, `connect`, `tls`, `processing`, `transfer`), `probe_dns_lookup_time_seconds`, `probe_http_status_code`, `probe_ssl_earliest_cert_expiry`, `probe_tls_version_info{version}`; `roundtrip_probe_round_trips` and `roundtrip_probe_started_timestamp_seconds`; and, of all results that this web process has stored, the histograms `roundtrip_probe_tls_seconds` and `roundtrip_probe_first_byte_seconds`. Labels: `target` (its name), `region`, `carrier`, `vantage`; of namesakes also `target_id`, `vantage_id`. More than 5,000 pairs of a target and a vantage are refused: ask for a part by `target` or `tag`.
         *
         *     Needs the scope `read`.
         */
        get: operations["getProbeMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export targets, alert rules and webhooks as one document
         * @description What is as by default is left out, and so is the demo. Secrets are `***`: applied again, they stay as they are.
         *
         *     Needs the scope `write`.
         */
        get: operations["getConfiguration"];
        /**
         * Make targets, alert rules and webhooks what a document says
         * @description Names are the keys: what has none of that name is created, what differs is changed, and what is as described stays untouched. All of it is done in one transaction, or nothing.
         *
         *     Needs the scope `write`.
         */
        put: operations["putConfiguration"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/configuration/schema": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The JSON Schema of the document, for editors
         * @description A file names it in its first line: `# yaml-language-server: $schema=…/api/v1/configuration/schema`.
         */
        get: operations["getConfigurationSchema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    incident: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An incident opened, changed or ended
         * @description Of webhooks of the format `standard`: signed as Standard Webhooks are, under 20,000 bytes. Lists that are too long are cut, and what was left out is counted beside them (`cells`, `cellsOmitted`). It is sent again until it is answered 2xx, with the same `webhook-id`.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description the message; the same whenever it is sent again */
                    "webhook-id": string;
                    /** @description when it was sent, seconds since 1970 */
                    "webhook-timestamp": string;
                    /** @description `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, by each valid secret */
                    "webhook-signature": string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "type": "tls.spike.opened",
                     *       "timestamp": "2026-11-20T16:05:00.000Z",
                     *       "data": {
                     *         "id": "0197a5d0-8f3e-7c21-9f6a-2b1c0de4f001",
                     *         "kind": "spike",
                     *         "state": "open",
                     *         "status": "open",
                     *         "resolution": null,
                     *         "severity": "warning",
                     *         "ruleId": "01940000-0000-7000-8000-000000000001",
                     *         "ruleName": "TLS regressions and spikes",
                     *         "metric": "tls",
                     *         "targetId": "0197a5d0-8f3e-7c21-9f6a-2b1c0de4f002",
                     *         "targetName": "shop",
                     *         "carrier": "telecom",
                     *         "region": "CN-GD",
                     *         "cause": "network",
                     *         "subCause": null,
                     *         "explanation": null,
                     *         "counterfactual": null,
                     *         "candidates": [],
                     *         "cells": [
                     *           {
                     *             "targetId": "0197a5d0-8f3e-7c21-9f6a-2b1c0de4f002",
                     *             "targetName": "shop",
                     *             "vantageId": "0197a5d0-8f3e-7c21-9f6a-2b1c0de4f003",
                     *             "vantageName": "Guangzhou Telecom",
                     *             "region": "CN-GD",
                     *             "carrier": "telecom",
                     *             "kind": "spike",
                     *             "metric": "tls",
                     *             "variant": "main",
                     *             "at": "2026-11-20T16:04:30.000Z",
                     *             "changeAt": "2026-11-20T16:03:00.000Z",
                     *             "beforeMs": 55.1,
                     *             "afterMs": 102.3,
                     *             "peakMs": 130.8,
                     *             "resumedBefore": null,
                     *             "resumedAfter": null,
                     *             "quietSince": null,
                     *             "recoveredAt": null
                     *           }
                     *         ],
                     *         "affected": {
                     *           "targets": 1,
                     *           "targetNames": [
                     *             "shop"
                     *           ],
                     *           "vantages": 1,
                     *           "vantageNames": [
                     *             "Guangzhou Telecom"
                     *           ],
                     *           "everywhere": false,
                     *           "spared": [],
                     *           "series": 1,
                     *           "regions": 1,
                     *           "provinces": true,
                     *           "carriers": [
                     *             {
                     *               "carrier": "telecom",
                     *               "regions": 1,
                     *               "of": 31,
                     *               "region": "CN-GD",
                     *               "named": [
                     *                 "CN-GD"
                     *               ],
                     *               "spared": []
                     *             }
                     *           ],
                     *           "before": 55.1,
                     *           "after": 102.3,
                     *           "full": null
                     *         },
                     *         "evidence": {},
                     *         "failure": null,
                     *         "openedAt": "2026-11-20T16:04:30.000Z",
                     *         "onsetAt": "2026-11-20T16:03:00.000Z",
                     *         "markersFrom": "2026-11-20T15:03:00.000Z",
                     *         "markersTo": "2026-11-20T17:03:00.000Z",
                     *         "acknowledgedAt": null,
                     *         "acknowledgedBy": null,
                     *         "quietSince": null,
                     *         "closesAt": null,
                     *         "next": null,
                     *         "resolvedAt": null,
                     *         "reopened": 0,
                     *         "effectMs": 47.2,
                     *         "effectRatio": 0.857,
                     *         "peakMs": 130.8,
                     *         "impact": null,
                     *         "silenced": false,
                     *         "flapping": false,
                     *         "demo": false,
                     *         "mergedInto": null,
                     *         "heldUntil": null,
                     *         "standingSince": null,
                     *         "cost": null,
                     *         "resolvedBy": null,
                     *         "splitFrom": null,
                     *         "notUseful": null,
                     *         "url": "/incidents/0197a5d0-8f3e-7c21-9f6a-2b1c0de4f001",
                     *         "reminder": false,
                     *         "summary": "Spike: shop · Guangdong Telecom, TLS +47 ms (+86%), since 2026-11-20 16:03 UTC, probable cause: network"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {string} */
                        type: "tls.spike.opened" | "tls.spike.updated" | "tls.spike.resolved" | "tls.regression.opened" | "tls.regression.updated" | "tls.regression.resolved" | "tls.regression.accepted" | "tls.improvement.detected" | "threshold.opened" | "threshold.resolved" | "target.down" | "target.recovered" | "certificate.expiring" | "certificate.renewed" | "staple.unhealthy" | "staple.healthy" | "vantage.silent" | "vantage.heard";
                        /** Format: date-time */
                        timestamp: string;
                        data: {
                            /** Format: uuid */
                            id: string;
                            kind: components["schemas"]["IncidentKind"];
                            /** @description where it is in its life; follows from the other fields */
                            state: components["schemas"]["IncidentState"];
                            status: components["schemas"]["IncidentStatus"];
                            /** @description how it ended; null: still open, or an improvement. `accepted`: the change persists and is the new level */
                            resolution: components["schemas"]["IncidentResolution"] | null;
                            severity: components["schemas"]["Severity"];
                            ruleId: string | null;
                            ruleName: string | null;
                            /** @description `tls`, `tcp`, `firstByte`, `failures`, `refused`, or a rule’s metric */
                            metric: string | null;
                            /** @description null: several targets, or none */
                            targetId: string | null;
                            targetName: string | null;
                            /** @description null: several carriers, or none */
                            carrier: string | null;
                            region: string | null;
                            cause: components["schemas"]["Cause"] | null;
                            /** @description `resumption`: sessions are refused, or resumed handshakes alone moved; with cause `tls` */
                            subCause: "resumption" | null;
                            /** @description what the excess is made of, and where; null: too little is measured, or it is too small */
                            explanation: components["schemas"]["IncidentExplanation"] | null;
                            /** @description what its series would be without it; null: fewer than three unaffected series are known, or it is about no time */
                            counterfactual: components["schemas"]["IncidentCounterfactual"] | null;
                            candidates: components["schemas"]["IncidentCandidate"][];
                            cells: components["schemas"]["IncidentCell"][];
                            affected: components["schemas"]["Affected"];
                            /** @description evidence of the rule, by kind (docs/api.md) */
                            evidence: {
                                [key: string]: unknown;
                            };
                            /** @description why probes fail, for kind `down` and spikes of failures; null for other kinds and if unknown */
                            failure: components["schemas"]["IncidentFailure"] | null;
                            /**
                             * Format: date-time
                             * @description RFC 3339, UTC, milliseconds; years 1 to 9999
                             */
                            openedAt: string;
                            /**
                             * Format: date-time
                             * @description median of the onsets of its series, of those that are dated well; of what spread over its series, of those that changed first
                             */
                            onsetAt: string;
                            /**
                             * Format: date-time
                             * @description markers among `candidates` were looked for from here, an hour before the onset may be
                             */
                            markersFrom: string;
                            /**
                             * Format: date-time
                             * @description until here
                             */
                            markersTo: string;
                            acknowledgedAt: string | null;
                            acknowledgedBy: string | null;
                            /** @description since when an open spike has been back to normal everywhere; its effect is measured before that */
                            quietSince: string | null;
                            /** @description when the spike is resolved if it stays normal; null: it is not back to normal */
                            closesAt: string | null;
                            /** @description what becomes of it by itself, and when, if nothing changes; null: nothing at a known time */
                            next: {
                                state: components["schemas"]["IncidentState"];
                                /**
                                 * Format: date-time
                                 * @description RFC 3339, UTC, milliseconds; years 1 to 9999
                                 */
                                at: string;
                            } | null;
                            resolvedAt: string | null;
                            /** @description how often it recurred within an hour */
                            reopened: number;
                            /** @description median change of its cells, ms */
                            effectMs: number | null;
                            /** @description median relative change: 0.2 is 20% more */
                            effectRatio: number | null;
                            /** @description median by which its cells exceeded the level before at their peak, ms */
                            peakMs: number | null;
                            /** @description what it means to the users; null: not about places */
                            impact: components["schemas"]["Impact"] | null;
                            /** @description a silence suppresses its messages */
                            silenced: boolean;
                            /** @description opens and closes so often that its messages are suppressed */
                            flapping: boolean;
                            demo: boolean;
                            /** @description the incident that it is part of; null: it stands for itself */
                            mergedInto: string | null;
                            /** @description one series alone: no message is sent before, unless another series joins */
                            heldUntil: string | null;
                            /** @description since when a large lasting change has been standing: neither recovered nor accepted within 48 hours */
                            standingSince: string | null;
                            /** @description of one that stands, or stood: what it has cost so far */
                            cost: components["schemas"]["IncidentCost"] | null;
                            /** @description who resolved or accepted it; null: by itself, or open */
                            resolvedBy: string | null;
                            /** @description the incident of which a person made it a separate one */
                            splitFrom: string | null;
                            /** @description a person called it not useful: until then new ones of its kind, rule and scope need twice the effect */
                            notUseful: components["schemas"]["NotUseful"] | null;
                            /** @description the path of its page */
                            url: string;
                            /** @description the page of it, where the server knows its own address (`ROUNDTRIP_PUBLIC_URL`) */
                            link?: string;
                            /** @description sent again, since nobody acknowledged it */
                            reminder: boolean;
                            /** @description one sentence, in the language of the webhook */
                            summary: string;
                        };
                    };
                };
            };
            responses: {
                /** @description Taken no more: the webhook is disabled */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Taken */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Not taken: it is sent again later, after `Retry-After` where that is given */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    comparison: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A comparison was computed
         * @description Of webhooks of the format `standard`: signed as Standard Webhooks are, under 20,000 bytes. Lists that are too long are cut, and what was left out is counted beside them (`cells`, `cellsOmitted`). It is sent again until it is answered 2xx, with the same `webhook-id`.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description the message; the same whenever it is sent again */
                    "webhook-id": string;
                    /** @description when it was sent, seconds since 1970 */
                    "webhook-timestamp": string;
                    /** @description `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, by each valid secret */
                    "webhook-signature": string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @enum {string} */
                        type: "comparison.ready";
                        /** Format: date-time */
                        timestamp: string;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            targetId: string;
                            targetName: string;
                            markerId: string | null;
                            incidentId: string | null;
                            title: string;
                            before: {
                                /**
                                 * Format: date-time
                                 * @description RFC 3339, UTC, milliseconds; years 1 to 9999
                                 */
                                from: string;
                                /**
                                 * Format: date-time
                                 * @description RFC 3339, UTC, milliseconds; years 1 to 9999
                                 */
                                to: string;
                            };
                            after: {
                                /**
                                 * Format: date-time
                                 * @description RFC 3339, UTC, milliseconds; years 1 to 9999
                                 */
                                from: string;
                                /**
                                 * Format: date-time
                                 * @description RFC 3339, UTC, milliseconds; years 1 to 9999
                                 */
                                to: string;
                            };
                            milestone: components["schemas"]["Milestone"];
                            /** @enum {string} */
                            status: "waiting" | "ready";
                            /**
                             * Format: date-time
                             * @description when it is computed: once the results of the later window are in
                             */
                            dueAt: string;
                            computedAt: string | null;
                            /** @description null while it is waiting */
                            headline: components["schemas"]["ComparisonHeadline"] | null;
                            /** @description the same as a sentence, in English */
                            summary: string | null;
                            /** @description whether a link shows it to anybody */
                            shared: boolean;
                            createdBy: string;
                            /**
                             * Format: date-time
                             * @description RFC 3339, UTC, milliseconds; years 1 to 9999
                             */
                            createdAt: string;
                            demo: boolean;
                            /** @description the page of it, where the server knows its own address (`ROUNDTRIP_PUBLIC_URL`) */
                            link?: string;
                        };
                    };
                };
            };
            responses: {
                /** @description Taken no more: the webhook is disabled */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Taken */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Not taken: it is sent again later, after `Retry-After` where that is given */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    test: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The test of a webhook
         * @description Of webhooks of the format `standard`: signed as Standard Webhooks are, under 20,000 bytes. Lists that are too long are cut, and what was left out is counted beside them (`cells`, `cellsOmitted`). It is sent again until it is answered 2xx, with the same `webhook-id`.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description the message; the same whenever it is sent again */
                    "webhook-id": string;
                    /** @description when it was sent, seconds since 1970 */
                    "webhook-timestamp": string;
                    /** @description `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, by each valid secret */
                    "webhook-signature": string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @enum {string} */
                        type: "webhook.test";
                        /** Format: date-time */
                        timestamp: string;
                        data: {
                            message: string;
                        };
                    };
                };
            };
            responses: {
                /** @description Taken no more: the webhook is disabled */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Taken */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Not taken: it is sent again later, after `Retry-After` where that is given */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    group: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Several events at once, of a burst
         * @description Of webhooks of the format `standard`: signed as Standard Webhooks are, under 20,000 bytes. Lists that are too long are cut, and what was left out is counted beside them (`cells`, `cellsOmitted`). It is sent again until it is answered 2xx, with the same `webhook-id`.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description the message; the same whenever it is sent again */
                    "webhook-id": string;
                    /** @description when it was sent, seconds since 1970 */
                    "webhook-timestamp": string;
                    /** @description `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, by each valid secret */
                    "webhook-signature": string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @enum {string} */
                        type: "tls.spike.opened" | "tls.spike.updated" | "tls.spike.resolved" | "tls.regression.opened" | "tls.regression.updated" | "tls.regression.resolved" | "tls.regression.accepted" | "tls.improvement.detected" | "threshold.opened" | "threshold.resolved" | "target.down" | "target.recovered" | "certificate.expiring" | "certificate.renewed" | "staple.unhealthy" | "staple.healthy" | "vantage.silent" | "vantage.heard" | "comparison.ready" | "webhook.test";
                        /** Format: date-time */
                        timestamp: string;
                        data: {
                            groupedCount: number;
                            severity: components["schemas"]["Severity"];
                            demo: boolean;
                            /** @description the page of it, where the server knows its own address (`ROUNDTRIP_PUBLIC_URL`) */
                            link?: string;
                            grouped: {
                                /** @description the `webhook-id` that it would have had */
                                id: string;
                                type: components["schemas"]["WebhookEventType"];
                                /** Format: date-time */
                                timestamp: string;
                                incidentId: string | null;
                                /** @description the main fields of what it is about */
                                data: Record<string, never>;
                            }[];
                        };
                    };
                };
            };
            responses: {
                /** @description Taken no more: the webhook is disabled */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Taken */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Not taken: it is sent again later, after `Retry-After` where that is given */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        Tag: string;
        TargetCreate: {
            /** @description default: the host */
            name?: string;
            url: string;
            /** @default 60 */
            periodSeconds?: number;
            /** @default true */
            enabled?: boolean;
            /** @default {} */
            vantages?: components["schemas"]["VantageSelector"];
            /** @default {} */
            settings?: components["schemas"]["ProbeSettings"];
            /**
             * @description words to find and group targets by
             * @default []
             */
            tags?: components["schemas"]["Tag"][];
        };
        VantageSelector: {
            /** @default [] */
            regions?: string[];
            /** @default [] */
            carriers?: string[];
            /** @default [] */
            vantageIds?: string[];
        };
        ProbeSettings: {
            /**
             * @default [
             *       "h2",
             *       "http/1.1"
             *     ]
             */
            alpn?: ("h2" | "http/1.1")[];
            /**
             * @description offers only this version; null offers both
             * @default null
             */
            tlsVersion?: ("1.2" | "1.3") | null;
            /**
             * @description requests this certificate type; `both` adds two probes after the main one, for RSA and for ECDSA, as separate Results
             * @default null
             */
            sigalgs?: ("RSA" | "ECDSA" | "both") | null;
            /**
             * @description adds a handshake that resumes the session of each full one, as a separate Result
             * @default false
             */
            resume?: boolean;
            /** @description adds a second request on the same connection, as a separate Result; default: false; unused if http is false */
            reuse?: boolean;
            /** @description requests a compressed body, as browsers do (accept-encoding: br, gzip); default: false; unused if http is false */
            compression?: boolean;
            /** @description offers certificate compression (RFC 8879: brotli, zlib, zstd), as browsers do; default: true; TLS 1.3 only */
            certificateCompression?: boolean;
            /**
             * @description server name to send, which the certificate must contain; null: the URL's host
             * @default null
             */
            sni?: string | null;
            /**
             * @description connects only by IPv4 or IPv6; null: IPv4 first, then the families in turn
             * @default null
             */
            family?: (4 | 6) | null;
            /**
             * @description fixed address instead of a DNS lookup
             * @default null
             */
            address?: (string) | null;
            /**
             * @description resolver to use instead of the system's: ADDRESS, ADDRESS:PORT or [ADDRESS]:PORT
             * @default null
             */
            resolver?: string | null;
            /**
             * @description false accepts untrusted certificates
             * @default true
             */
            verify?: boolean;
            /**
             * @description false ends the probe after the handshake
             * @default true
             */
            http?: boolean;
            /**
             * @description trusted roots (PEM) instead of the public roots
             * @default null
             */
            caPem?: string | null;
            /**
             * @description sent to servers that request one; the key is never returned
             * @default null
             */
            clientCertificate?: components["schemas"]["ClientCertificate"] | null;
            /**
             * @description the request; unused if http is false
             * @default {}
             */
            request?: components["schemas"]["ProbeRequestSettings"];
            /**
             * @description checks of the response; unused if http is false
             * @default {}
             */
            expect?: components["schemas"]["Expectation"];
            /**
             * @description how many redirects are followed, each as a separate Result; 0 reports the redirect only; unused if http is false
             * @default 0
             */
            redirects?: number;
            /** @default {} */
            timeouts?: components["schemas"]["Timeouts"];
        };
        ClientCertificate: {
            certPem: string;
            keyPem: string | null;
        };
        ProbeRequestSettings: {
            /**
             * @default GET
             * @enum {string}
             */
            method?: "GET" | "HEAD" | "OPTIONS" | "POST" | "PUT" | "PATCH" | "DELETE";
            /** @default [] */
            headers?: {
                /** @description none of connection, content-length, host, http2-settings, keep-alive, proxy-connection, te, trailer, transfer-encoding, upgrade */
                name: string;
                /** @description sent as UTF-8 */
                value: string;
                /** @description true: the value is secret, as it is of headers that hold a secret by their name; default: false */
                secret?: boolean;
            }[];
            /** @default null */
            body?: string | null;
        };
        Expectation: {
            /**
             * @description empty: all below 400
             * @default []
             */
            status?: string[];
            /** @default null */
            bodyContains?: string | null;
            /** @default null */
            bodyLacks?: string | null;
        };
        Timeouts: {
            /** @default 3000 */
            dns?: number;
            /** @default 5000 */
            tcp?: number;
            /** @default 8000 */
            tls?: number;
            /** @default 8000 */
            firstByte?: number;
            /** @default 8000 */
            download?: number;
        };
        TargetPatch: {
            name?: string;
            url?: string;
            periodSeconds?: number;
            enabled?: boolean;
            vantages?: components["schemas"]["VantageSelector"];
            settings?: components["schemas"]["ProbeSettings"];
            /** @description words to find and group targets by */
            tags?: components["schemas"]["Tag"][];
        };
        /** @enum {string} */
        Metric: "dns" | "tcp" | "tls" | "firstByte" | "download" | "total" | "roundTrips" | "firstBody" | "refused";
        /** @enum {string} */
        Stat: "p50" | "p75" | "p90" | "p95" | "p99" | "mean" | "count" | "availability";
        VantagePatch: {
            name?: string;
            country?: string;
            /** @description begins with `country` */
            region?: string;
            city?: string | null;
            carrier?: string;
            asn?: number | null;
            access?: components["schemas"]["AccessType"];
            /** @description whether its prober is given secrets of targets; without, targets with secrets are not probed from it */
            mayHoldSecrets?: boolean;
        };
        /** @enum {string} */
        AccessType: "idc" | "lastmile" | "mobile" | "cloud";
        /** @description Creates a vantage and a one-time token for its prober */
        EnrolmentCreate: {
            name: string;
            /** @description default: the country part of the region */
            country?: string;
            /** @description begins with `country` */
            region: string;
            /** @default null */
            city?: string | null;
            carrier: string;
            /** @default null */
            asn?: number | null;
            /** @default idc */
            access?: components["schemas"]["AccessType"];
            /**
             * @description whether its prober is given secrets of targets; without, targets with secrets are not probed from it
             * @default false
             */
            mayHoldSecrets?: boolean;
            /** @default 86400 */
            expiresInSeconds?: number;
        };
        /** @description Asks for a new one-time token of a vantage that is there */
        EnrolmentRenew: {
            /** @default 86400 */
            expiresInSeconds?: number;
        };
        MeasurementCreate: {
            url?: string;
            /**
             * Format: uuid
             * @description in place of `url`: that of this target
             */
            targetId?: string;
            /** @description default: those of the target, or of a target with the origin of `url`, without their secrets; else the defaults of each */
            settings?: components["schemas"]["MeasurementSettings"];
            vantageIds?: string[];
            /** @description adds the vantages of each; without `vantageIds` and `locations`: all vantages */
            locations?: components["schemas"]["MeasurementLocation"][];
        } & (unknown | unknown);
        MeasurementSettings: {
            /**
             * @default [
             *       "h2",
             *       "http/1.1"
             *     ]
             */
            alpn?: ("h2" | "http/1.1")[];
            /**
             * @description offers only this version; null offers both
             * @default null
             */
            tlsVersion?: ("1.2" | "1.3") | null;
            /** @description requests a compressed body, as browsers do (accept-encoding: br, gzip); default: false; unused if http is false */
            compression?: boolean;
            /** @description offers certificate compression (RFC 8879: brotli, zlib, zstd), as browsers do; default: true; TLS 1.3 only */
            certificateCompression?: boolean;
            /**
             * @description server name to send, which the certificate must contain; null: the URL's host
             * @default null
             */
            sni?: string | null;
            /**
             * @description connects only by IPv4 or IPv6; null: IPv4 first, then the families in turn
             * @default null
             */
            family?: (4 | 6) | null;
            /**
             * @description fixed address instead of a DNS lookup
             * @default null
             */
            address?: (string) | null;
            /**
             * @description resolver to use instead of the system's: ADDRESS, ADDRESS:PORT or [ADDRESS]:PORT
             * @default null
             */
            resolver?: string | null;
            /**
             * @description false accepts untrusted certificates
             * @default true
             */
            verify?: boolean;
            /**
             * @description false ends the probe after the handshake
             * @default true
             */
            http?: boolean;
            /**
             * @description trusted roots (PEM) instead of the public roots
             * @default null
             */
            caPem?: string | null;
            /**
             * @description checks of the response; unused if http is false
             * @default {}
             */
            expect?: components["schemas"]["Expectation"];
            /** @default {} */
            timeouts?: components["schemas"]["Timeouts"];
            /**
             * @description requests this certificate type
             * @default null
             */
            sigalgs?: ("RSA" | "ECDSA") | null;
        };
        MeasurementLocation: {
            country?: string;
            region?: string;
            carrier?: string;
            /** @description most vantages, spread evenly over the matching ones in order of region and carrier */
            limit?: number;
        };
        /** @enum {string} */
        IncidentState: "open" | "quiet" | "standing" | "resolved" | "accepted";
        /** @enum {string} */
        IncidentStatus: "open" | "acknowledged" | "resolved";
        /** @enum {string} */
        IncidentResolution: "recovered" | "rolled_back" | "by_hand" | "accepted" | "superseded" | "merged" | "unwatched";
        /** @enum {string} */
        IncidentKind: "spike" | "regression" | "improvement" | "threshold" | "down" | "certificate" | "staple" | "silent";
        /** @enum {string} */
        Severity: "info" | "warning" | "critical";
        IncidentPatch: {
            /** @enum {string} */
            action: "acknowledge" | "resolve" | "accept" | "not_useful" | "undo_not_useful" | "merge" | "split";
            /** @default  */
            note?: string;
            /**
             * Format: uuid
             * @description with `merge`: the open incident that it becomes part of
             */
            into?: string;
            /** @description with `split`: the series that become an incident of their own */
            cells?: {
                /** Format: uuid */
                targetId: string;
                /** Format: uuid */
                vantageId: string;
            }[];
        } | {
            /** @enum {unknown} */
            action?: "acknowledge" | "resolve" | "accept" | "not_useful" | "undo_not_useful";
            into?: never;
            cells?: never;
        } | {
            /** @constant */
            action?: "merge";
            cells?: never;
        } | {
            /** @constant */
            action?: "split";
            into?: never;
        };
        /** @enum {string} */
        DetectionKind: "spike" | "regression" | "improvement";
        MarkerCreate: {
            /**
             * Format: date-time
             * @description default: now
             */
            at?: string;
            /**
             * @description null: applies to all targets
             * @default null
             */
            targetId?: string | null;
            title: string;
            /** @default  */
            text?: string;
            /** @default null */
            url?: string | null;
            /** @description compares so many minutes before the marker with as many after it; needs `targetId` */
            compareMinutes?: number;
        };
        ComparisonCreate: {
            /**
             * Format: uuid
             * @description before this marker against after it
             */
            markerId?: string;
            /**
             * Format: uuid
             * @description before the onset of this incident against after it
             */
            incidentId?: string;
            /**
             * Format: uuid
             * @description required with `before` and `after`, and for a marker or incident of several targets
             */
            targetId?: string;
            /** @description two ranges instead of a marker or incident */
            before?: {
                /** Format: date-time */
                from: string;
                /** Format: date-time */
                to: string;
            };
            /** @description 5 minutes to 7 days */
            after?: {
                /** Format: date-time */
                from: string;
                /** Format: date-time */
                to: string;
            };
            /** @description length of both windows around a marker or onset; default: 20 */
            minutes?: number;
            /** @default total */
            milestone?: components["schemas"]["Milestone"];
            /** @description default: that of the marker */
            title?: string;
        } & (unknown | unknown | unknown);
        /** @enum {string} */
        Milestone: "handshake" | "firstUsable" | "firstBody" | "total";
        AlertRuleCreate: {
            /** @constant */
            kind: "detector";
            /**
             * @description null: all metrics of the detector
             * @default null
             */
            metric?: components["schemas"]["WatchedMetric"] | null;
            /** @default {} */
            params?: {
                /**
                 * @default [
                 *       "spike",
                 *       "regression",
                 *       "improvement"
                 *     ]
                 */
                kinds?: ("spike" | "regression" | "improvement")[];
                /** @description about so many false pages a week for all series together, however many there are: what fewer series show than that allows is listed, and sends no message until more join (a spike: until half an hour has passed); null: no budget */
                falsePagesPerWeek?: number | null;
            };
            name: string;
            /** @default true */
            enabled?: boolean;
            /** @default [] */
            targetIds?: string[];
            /** @default [] */
            regions?: string[];
            /** @default [] */
            carriers?: string[];
            /**
             * @description least number of series (a target at a vantage) that opens an incident
             * @default 1
             */
            minCells?: number;
            /** @default warning */
            severity?: components["schemas"]["Severity"];
            /**
             * @description minutes between reminders of an open incident; null: no reminders
             * @default null
             */
            reminderMinutes?: number | null;
        } | {
            /** @constant */
            kind: "threshold";
            /** @enum {string} */
            metric: "dns" | "tcp" | "tls" | "firstByte" | "download" | "total" | "roundTrips" | "firstBody";
            params: {
                /** @default p95 */
                stat?: components["schemas"]["Stat"];
                /**
                 * @description in the unit of metric and stat
                 * @default null
                 */
                above?: number | null;
                /** @default null */
                below?: number | null;
                /** @default 10 */
                windowMinutes?: number;
                /** @default 5 */
                minResults?: number;
            } & ({
                above: number;
            } | {
                below: number;
            });
            name: string;
            /** @default true */
            enabled?: boolean;
            /** @default [] */
            targetIds?: string[];
            /** @default [] */
            regions?: string[];
            /** @default [] */
            carriers?: string[];
            /**
             * @description least number of series (a target at a vantage) that opens an incident
             * @default 1
             */
            minCells?: number;
            /** @default warning */
            severity?: components["schemas"]["Severity"];
            /**
             * @description minutes between reminders of an open incident; null: no reminders
             * @default null
             */
            reminderMinutes?: number | null;
        } | {
            /** @constant */
            kind: "down";
            /** @default {} */
            params?: {
                /** @default 5 */
                windowMinutes?: number;
                /**
                 * @description share of the expected vantages, silent ones included, that must fail; in addition to minCells
                 * @default 0.5
                 */
                share?: number;
            };
            name: string;
            /** @default true */
            enabled?: boolean;
            /** @default [] */
            targetIds?: string[];
            /** @default [] */
            regions?: string[];
            /** @default [] */
            carriers?: string[];
            /**
             * @description least number of series (a target at a vantage) that opens an incident
             * @default 1
             */
            minCells?: number;
            /** @default warning */
            severity?: components["schemas"]["Severity"];
            /**
             * @description minutes between reminders of an open incident; null: no reminders
             * @default null
             */
            reminderMinutes?: number | null;
        } | {
            /** @constant */
            kind: "certificate";
            /** @default {} */
            params?: {
                /**
                 * @description days until the certificate expires; of a certificate that lives no longer than that, a third of its lifetime
                 * @default 14
                 */
                days?: number;
            };
            name: string;
            /** @default true */
            enabled?: boolean;
            /** @default [] */
            targetIds?: string[];
            /** @default [] */
            regions?: string[];
            /** @default [] */
            carriers?: string[];
            /**
             * @description least number of series (a target at a vantage) that opens an incident
             * @default 1
             */
            minCells?: number;
            /** @default warning */
            severity?: components["schemas"]["Severity"];
            /**
             * @description minutes between reminders of an open incident; null: no reminders
             * @default null
             */
            reminderMinutes?: number | null;
        } | {
            /** @constant */
            kind: "staple";
            /** @default {} */
            params?: {
                /**
                 * @description opens below this ratio
                 * @default 0.5
                 */
                hitRatio?: number;
                /** @default 60 */
                windowMinutes?: number;
                /** @default 20 */
                minHandshakes?: number;
            };
            name: string;
            /** @default true */
            enabled?: boolean;
            /** @default [] */
            targetIds?: string[];
            /** @default [] */
            regions?: string[];
            /** @default [] */
            carriers?: string[];
            /**
             * @description least number of series (a target at a vantage) that opens an incident
             * @default 1
             */
            minCells?: number;
            /** @default warning */
            severity?: components["schemas"]["Severity"];
            /**
             * @description minutes between reminders of an open incident; null: no reminders
             * @default null
             */
            reminderMinutes?: number | null;
        } | {
            /** @constant */
            kind: "silent";
            /** @default {} */
            params?: {
                /**
                 * @description periods of the vantage’s most frequent check
                 * @default 5
                 */
                periods?: number;
            };
            name: string;
            /** @default true */
            enabled?: boolean;
            /** @default [] */
            targetIds?: string[];
            /** @default [] */
            regions?: string[];
            /** @default [] */
            carriers?: string[];
            /**
             * @description least number of series (a target at a vantage) that opens an incident
             * @default 1
             */
            minCells?: number;
            /** @default warning */
            severity?: components["schemas"]["Severity"];
            /**
             * @description minutes between reminders of an open incident; null: no reminders
             * @default null
             */
            reminderMinutes?: number | null;
        };
        /** @enum {string} */
        WatchedMetric: "tls" | "tcp" | "firstByte" | "failures" | "refused";
        AlertRulePatch: {
            name?: string;
            enabled?: boolean;
            /** @description of `detector` and `threshold` alone */
            metric?: string | null;
            /** @description as in AlertRuleCreate, by the kind */
            params?: {
                [key: string]: unknown;
            };
            targetIds?: string[];
            regions?: string[];
            carriers?: string[];
            /** @description least number of series (a target at a vantage) that opens an incident */
            minCells?: number;
            severity?: components["schemas"]["Severity"];
            /** @description minutes between reminders of an open incident; null: no reminders */
            reminderMinutes?: number | null;
        };
        SilenceCreate: {
            /**
             * @description empty: all targets
             * @default []
             */
            targetIds?: string[];
            /** @default [] */
            regions?: string[];
            /** @default [] */
            carriers?: string[];
            /**
             * @description empty: all kinds
             * @default []
             */
            kinds?: components["schemas"]["IncidentKind"][];
            /**
             * Format: date-time
             * @description default: now
             */
            startsAt?: string;
            /**
             * @description after `startsAt`; null: until it is deleted
             * @default null
             */
            endsAt?: string | null;
            /**
             * @description five fields: the silence starts at each of these times between startsAt and endsAt
             * @default null
             */
            cron?: string | null;
            /**
             * @description duration of each occurrence; only with `cron`
             * @default null
             */
            durationMinutes?: number | null;
            /**
             * @description time zone of `cron`, by its IANA name
             * @default UTC
             */
            timeZone?: string;
            /** @default  */
            comment?: string;
        } | {
            cron?: null;
            durationMinutes?: null;
        } | {
            cron: string;
            durationMinutes: number;
        };
        SilencePatch: {
            /** @description empty: all targets */
            targetIds?: string[];
            regions?: string[];
            carriers?: string[];
            /** @description empty: all kinds */
            kinds?: components["schemas"]["IncidentKind"][];
            /** Format: date-time */
            startsAt?: string;
            /** @description after `startsAt`; null: until it is deleted */
            endsAt?: string | null;
            /** @description five fields: the silence starts at each of these times between startsAt and endsAt */
            cron?: string | null;
            /** @description duration of each occurrence; only with `cron` */
            durationMinutes?: number | null;
            /** @description time zone of `cron`, by its IANA name */
            timeZone?: string;
            comment?: string;
        };
        WebhookCreate: {
            /** @description default: the host, or `email` */
            name?: string;
            /**
             * @description required except for `pagerduty` and `email`
             * @default null
             */
            url?: string | null;
            /**
             * @description `standard`, `template`: `whsec_` and base64 of 24 to 64 bytes; generated by the server if omitted. `feishu`, `dingtalk`: the secret of signed bots. `pagerduty`: the routing key, required. `slack`: the token of an app, or none. `email`: the password
             * @default null
             */
            secret?: string | null;
            /** @default en */
            language?: components["schemas"]["WebhookLanguage"];
            /**
             * @description empty: all
             * @default []
             */
            events?: components["schemas"]["WebhookEventType"][];
            /**
             * @description empty: all rules
             * @default []
             */
            ruleIds?: string[];
            /**
             * @description empty: all
             * @default []
             */
            severities?: components["schemas"]["Severity"][];
            /** @default {} */
            settings?: components["schemas"]["WebhookSettings"];
            /**
             * @description required for the format `template`
             * @default null
             */
            template?: string | null;
            /** @default true */
            enabled?: boolean;
            /** @default standard */
            format?: components["schemas"]["WebhookFormat"];
        } | {
            /** @enum {unknown} */
            format?: "standard" | "slack" | "feishu" | "dingtalk" | "wecom" | "alertmanager";
            url: string;
        } | {
            /** @constant */
            format: "template";
            url: string;
            template: string;
        } | {
            /** @constant */
            format: "pagerduty";
        } | {
            /** @constant */
            format: "email";
            url?: null;
            settings: {
                email: Record<string, never>;
            };
        };
        /** @enum {string} */
        WebhookLanguage: "en" | "zh-CN";
        /** @enum {string} */
        WebhookEventType: "tls.spike.opened" | "tls.spike.updated" | "tls.spike.resolved" | "tls.regression.opened" | "tls.regression.updated" | "tls.regression.resolved" | "tls.regression.accepted" | "tls.improvement.detected" | "threshold.opened" | "threshold.resolved" | "target.down" | "target.recovered" | "certificate.expiring" | "certificate.renewed" | "staple.unhealthy" | "staple.healthy" | "vantage.silent" | "vantage.heard" | "comparison.ready" | "webhook.test";
        WebhookSettings: {
            /**
             * @description required for the format `email`
             * @default null
             */
            email?: components["schemas"]["EmailSettings"] | null;
            /**
             * @description for the format `template`; with a JSON type, placeholders are escaped
             * @default application/json
             */
            contentType?: string;
            /**
             * @description for the format `alertmanager`: added to every alert
             * @default {}
             */
            labels?: {
                [key: string]: string;
            };
        };
        EmailSettings: {
            host: string;
            /** @default 587 */
            port?: number;
            /**
             * @description true: TLS from the first byte (port 465); false: STARTTLS if offered
             * @default false
             */
            secure?: boolean;
            /** @default null */
            user?: string | null;
            from: string;
            to: string[];
        };
        /** @enum {string} */
        WebhookFormat: "standard" | "slack" | "feishu" | "dingtalk" | "wecom" | "pagerduty" | "alertmanager" | "template" | "email";
        WebhookPatch: {
            name?: string;
            url?: string | null;
            /** @description `standard`, `template`: `whsec_` and base64 of 24 to 64 bytes; generated by the server if omitted. `feishu`, `dingtalk`: the secret of signed bots. `pagerduty`: the routing key, required. `slack`: the token of an app, or none. `email`: the password */
            secret?: string | null;
            language?: components["schemas"]["WebhookLanguage"];
            /** @description empty: all */
            events?: components["schemas"]["WebhookEventType"][];
            /** @description empty: all rules */
            ruleIds?: string[];
            /** @description empty: all */
            severities?: components["schemas"]["Severity"][];
            settings?: components["schemas"]["WebhookSettings"];
            template?: string | null;
            enabled?: boolean;
        };
        SecretRotation: {
            /** @description `whsec_` and base64 of 24 to 64 bytes; generated by the server if omitted */
            secret?: string;
            /**
             * @description how long earlier secrets stay valid
             * @default 24
             */
            keepHours?: number;
        };
        WebhookDraft: {
            /** @description default: the host, or `email` */
            name?: string;
            /**
             * @description required except for `pagerduty` and `email`
             * @default null
             */
            url?: string | null;
            /**
             * @description `standard`, `template`: `whsec_` and base64 of 24 to 64 bytes; generated by the server if omitted. `feishu`, `dingtalk`: the secret of signed bots. `pagerduty`: the routing key, required. `slack`: the token of an app, or none. `email`: the password
             * @default null
             */
            secret?: string | null;
            /** @default en */
            language?: components["schemas"]["WebhookLanguage"];
            /**
             * @description empty: all
             * @default []
             */
            events?: components["schemas"]["WebhookEventType"][];
            /**
             * @description empty: all rules
             * @default []
             */
            ruleIds?: string[];
            /**
             * @description empty: all
             * @default []
             */
            severities?: components["schemas"]["Severity"][];
            /** @default {} */
            settings?: components["schemas"]["WebhookSettings"];
            /**
             * @description required for the format `template`
             * @default null
             */
            template?: string | null;
            /** @default true */
            enabled?: boolean;
            /** @default standard */
            format?: components["schemas"]["WebhookFormat"];
            /** @default tls.spike.opened */
            event?: components["schemas"]["WebhookEventType"];
        } | {
            /** @enum {unknown} */
            format?: "standard" | "slack" | "feishu" | "dingtalk" | "wecom" | "alertmanager";
            url: string;
        } | {
            /** @constant */
            format: "template";
            url: string;
            template: string;
        } | {
            /** @constant */
            format: "pagerduty";
        } | {
            /** @constant */
            format: "email";
            url?: null;
            settings: {
                email: Record<string, never>;
            };
        };
        /** @enum {string} */
        DeliveryStatus: "pending" | "delivered" | "failed" | "cancelled" | "grouped";
        StatusPageCreate: {
            title: string;
            /**
             * @description of the targets with this tag; null for all targets
             * @default null
             */
            tag?: components["schemas"]["Tag"] | null;
        };
        KeyCreate: {
            /** @default key */
            name?: string;
            scope: components["schemas"]["KeyScope"];
        };
        /** @enum {string} */
        KeyScope: "read" | "write" | "admin";
        /** @description The administrator's password */
        SessionCreate: {
            password: string;
        };
        PasswordChange: {
            /** @description required for a session; optional with an API key of scope `admin` */
            currentPassword?: string;
            newPassword: string;
        };
        RetentionPatch: {
            /** @description Days, 1 to 10000; null: the default */
            rawDays?: number | null;
            /** @description Days, 1 to 10000; null: the default */
            oddDays?: number | null;
            /** @description Days, 1 to 10000; null: the default */
            minuteDays?: number | null;
            /** @description Days, 1 to 10000; null: the default */
            tenMinuteDays?: number | null;
            /** @description Days, 1 to 10000; null: the default */
            hourDays?: number | null;
            /** @description Days, 1 to 10000; null: the default */
            dayDays?: number | null;
            /** @description Days, 1 to 10000; null: the default */
            incidentDays?: number | null;
            /** @description Days, 1 to 10000; null: the default */
            detectionDays?: number | null;
            /** @description Days, 1 to 10000; null: the default */
            deliveryDays?: number | null;
        };
        /** @description How many users a vantage stands for, in proportion: the weight of its region times that of its carrier, each from 0 to 1000, 1 where it is not named. What advice saves on average, and the impact of incidents, are weighted by it */
        Audience: {
            /** @default {} */
            regions?: {
                [key: string]: number;
            };
            /** @default {} */
            carriers?: {
                [key: string]: number;
            };
        };
        EnrolRequest: {
            token: string;
            /** @default 1 */
            engineVersion?: number;
            host?: string;
            /** @description SHA-256 of a self-generated credential, `rtp_` and 32 random bytes in base64url. The same token with the same hash gets the same response again */
            credentialHash?: string;
        };
        IngestBatch: {
            results: unknown[];
            /** @description Parts of results, each sent once: a result may hold the position (from 0) of a part in this list in place of the part itself, as its `vantage`, `roundTrips`, `tls.certificate`, `tls.staple`, `tls.hellos`, `tls.session`. Only for a server whose response has a `batchForm` of 2 or more */
            shared?: unknown[];
            /** @description A `ProberReport`. An invalid one is ignored; the results are stored */
            report?: components["schemas"]["ProberReport"] | unknown;
            /**
             * Format: date-time
             * @description every run of this prober that began before has been delivered, with this batch at the latest. In the server's time; in the future if no run will begin before. Spikes are looked for up to there without waiting a minute for what may come. Only for a server whose response has a `batchForm` of 3 or more
             */
            until?: string;
            /**
             * Format: date-time
             * @description the prober's clock at sending, from which the skew is computed
             */
            sentAt?: string;
        };
        ProberReport: {
            /** Format: date-time */
            since: string;
            checks: number;
            threads: number;
            started: number;
            /** @description runs that were due and did not start */
            missed: number;
            retaken: number;
            /** @description runs whose main Result was taken while the prober was delayed too much */
            unclean: number;
            /** @description Results discarded because the spool was full */
            dropped: number;
            /** @description Results that the server rejected permanently; the prober keeps them in its quarantine */
            rejected?: number;
            /** @description Results in the quarantine */
            quarantined?: number;
            quarantineBytes?: number;
        };
        MeasurementAnswers: {
            /** Format: uuid */
            measurementId: string;
            results: unknown[];
        };
        Configuration: {
            /** @description each under a name of its own; left out: these stay as they are */
            targets?: components["schemas"]["TargetConfiguration"][];
            /** @description each under a name of its own; left out: these stay as they are */
            alertRules?: components["schemas"]["RuleConfiguration"][];
            /** @description each under a name of its own; left out: these stay as they are */
            webhooks?: components["schemas"]["WebhookConfiguration"][];
            /** @description each under a name of its own; left out: these stay as they are */
            silences?: components["schemas"]["SilenceConfiguration"][];
        };
        TargetConfiguration: {
            name: string;
            url: string;
            /** @default 60 */
            periodSeconds?: number;
            /** @default true */
            enabled?: boolean;
            /** @default {} */
            vantages?: {
                /** @default [] */
                regions?: string[];
                /** @default [] */
                carriers?: string[];
                /**
                 * @description names of vantages that are there, or in the document; empty: all
                 * @default []
                 */
                names?: string[];
            };
            /** @default {} */
            settings?: components["schemas"]["ProbeSettings"];
            /**
             * @description words to find and group targets by
             * @default []
             */
            tags?: components["schemas"]["Tag"][];
        };
        RuleConfiguration: {
            /** @constant */
            kind: "detector";
            /**
             * @description null: all metrics of the detector
             * @default null
             */
            metric?: components["schemas"]["WatchedMetric"] | null;
            /** @default {} */
            params?: {
                /**
                 * @default [
                 *       "spike",
                 *       "regression",
                 *       "improvement"
                 *     ]
                 */
                kinds?: ("spike" | "regression" | "improvement")[];
                /** @description about so many false pages a week for all series together, however many there are: what fewer series show than that allows is listed, and sends no message until more join (a spike: until half an hour has passed); null: no budget */
                falsePagesPerWeek?: number | null;
            };
            name: string;
            /** @default true */
            enabled?: boolean;
            /** @default [] */
            regions?: string[];
            /** @default [] */
            carriers?: string[];
            /**
             * @description least number of series (a target at a vantage) that opens an incident
             * @default 1
             */
            minCells?: number;
            /** @default warning */
            severity?: components["schemas"]["Severity"];
            /**
             * @description minutes between reminders of an open incident; null: no reminders
             * @default null
             */
            reminderMinutes?: number | null;
            /**
             * @description names of targets that are there, or in the document; empty: all
             * @default []
             */
            targets?: string[];
        } | {
            /** @constant */
            kind: "threshold";
            /** @enum {string} */
            metric: "dns" | "tcp" | "tls" | "firstByte" | "download" | "total" | "roundTrips" | "firstBody";
            params: {
                /** @default p95 */
                stat?: components["schemas"]["Stat"];
                /**
                 * @description in the unit of metric and stat
                 * @default null
                 */
                above?: number | null;
                /** @default null */
                below?: number | null;
                /** @default 10 */
                windowMinutes?: number;
                /** @default 5 */
                minResults?: number;
            } & ({
                above: number;
            } | {
                below: number;
            });
            name: string;
            /** @default true */
            enabled?: boolean;
            /** @default [] */
            regions?: string[];
            /** @default [] */
            carriers?: string[];
            /**
             * @description least number of series (a target at a vantage) that opens an incident
             * @default 1
             */
            minCells?: number;
            /** @default warning */
            severity?: components["schemas"]["Severity"];
            /**
             * @description minutes between reminders of an open incident; null: no reminders
             * @default null
             */
            reminderMinutes?: number | null;
            /**
             * @description names of targets that are there, or in the document; empty: all
             * @default []
             */
            targets?: string[];
        } | {
            /** @constant */
            kind: "down";
            /** @default {} */
            params?: {
                /** @default 5 */
                windowMinutes?: number;
                /**
                 * @description share of the expected vantages, silent ones included, that must fail; in addition to minCells
                 * @default 0.5
                 */
                share?: number;
            };
            name: string;
            /** @default true */
            enabled?: boolean;
            /** @default [] */
            regions?: string[];
            /** @default [] */
            carriers?: string[];
            /**
             * @description least number of series (a target at a vantage) that opens an incident
             * @default 1
             */
            minCells?: number;
            /** @default warning */
            severity?: components["schemas"]["Severity"];
            /**
             * @description minutes between reminders of an open incident; null: no reminders
             * @default null
             */
            reminderMinutes?: number | null;
            /**
             * @description names of targets that are there, or in the document; empty: all
             * @default []
             */
            targets?: string[];
        } | {
            /** @constant */
            kind: "certificate";
            /** @default {} */
            params?: {
                /**
                 * @description days until the certificate expires; of a certificate that lives no longer than that, a third of its lifetime
                 * @default 14
                 */
                days?: number;
            };
            name: string;
            /** @default true */
            enabled?: boolean;
            /** @default [] */
            regions?: string[];
            /** @default [] */
            carriers?: string[];
            /**
             * @description least number of series (a target at a vantage) that opens an incident
             * @default 1
             */
            minCells?: number;
            /** @default warning */
            severity?: components["schemas"]["Severity"];
            /**
             * @description minutes between reminders of an open incident; null: no reminders
             * @default null
             */
            reminderMinutes?: number | null;
            /**
             * @description names of targets that are there, or in the document; empty: all
             * @default []
             */
            targets?: string[];
        } | {
            /** @constant */
            kind: "staple";
            /** @default {} */
            params?: {
                /**
                 * @description opens below this ratio
                 * @default 0.5
                 */
                hitRatio?: number;
                /** @default 60 */
                windowMinutes?: number;
                /** @default 20 */
                minHandshakes?: number;
            };
            name: string;
            /** @default true */
            enabled?: boolean;
            /** @default [] */
            regions?: string[];
            /** @default [] */
            carriers?: string[];
            /**
             * @description least number of series (a target at a vantage) that opens an incident
             * @default 1
             */
            minCells?: number;
            /** @default warning */
            severity?: components["schemas"]["Severity"];
            /**
             * @description minutes between reminders of an open incident; null: no reminders
             * @default null
             */
            reminderMinutes?: number | null;
            /**
             * @description names of targets that are there, or in the document; empty: all
             * @default []
             */
            targets?: string[];
        } | {
            /** @constant */
            kind: "silent";
            /** @default {} */
            params?: {
                /**
                 * @description periods of the vantage’s most frequent check
                 * @default 5
                 */
                periods?: number;
            };
            name: string;
            /** @default true */
            enabled?: boolean;
            /** @default [] */
            regions?: string[];
            /** @default [] */
            carriers?: string[];
            /**
             * @description least number of series (a target at a vantage) that opens an incident
             * @default 1
             */
            minCells?: number;
            /** @default warning */
            severity?: components["schemas"]["Severity"];
            /**
             * @description minutes between reminders of an open incident; null: no reminders
             * @default null
             */
            reminderMinutes?: number | null;
            /**
             * @description names of targets that are there, or in the document; empty: all
             * @default []
             */
            targets?: string[];
        };
        WebhookConfiguration: {
            name: string;
            /**
             * @description required except for `pagerduty` and `email`
             * @default null
             */
            url?: string | null;
            /**
             * @description `standard`, `template`: `whsec_` and base64 of 24 to 64 bytes; generated by the server if omitted. `feishu`, `dingtalk`: the secret of signed bots. `pagerduty`: the routing key, required. `slack`: the token of an app, or none. `email`: the password
             * @default null
             */
            secret?: string | null;
            /** @default en */
            language?: components["schemas"]["WebhookLanguage"];
            /**
             * @description empty: all
             * @default []
             */
            events?: components["schemas"]["WebhookEventType"][];
            /**
             * @description empty: all
             * @default []
             */
            severities?: components["schemas"]["Severity"][];
            /** @default {} */
            settings?: components["schemas"]["WebhookSettings"];
            /**
             * @description required for the format `template`
             * @default null
             */
            template?: string | null;
            /** @default true */
            enabled?: boolean;
            /** @default standard */
            format?: components["schemas"]["WebhookFormat"];
            /**
             * @description names of alert rules that are there, or in the document; empty: all
             * @default []
             */
            rules?: string[];
        } | {
            /** @enum {unknown} */
            format?: "standard" | "slack" | "feishu" | "dingtalk" | "wecom" | "alertmanager";
            url: string;
        } | {
            /** @constant */
            format: "template";
            url: string;
            template: string;
        } | {
            /** @constant */
            format: "pagerduty";
        } | {
            /** @constant */
            format: "email";
            url?: null;
            settings: {
                email: Record<string, never>;
            };
        };
        SilenceConfiguration: {
            /** @default [] */
            regions?: string[];
            /** @default [] */
            carriers?: string[];
            /**
             * @description empty: all kinds
             * @default []
             */
            kinds?: components["schemas"]["IncidentKind"][];
            /**
             * Format: date-time
             * @description default: as it is; of a new one now
             */
            startsAt?: string;
            /**
             * @description after `startsAt`; null: until it is deleted
             * @default null
             */
            endsAt?: string | null;
            /**
             * @description five fields: the silence starts at each of these times between startsAt and endsAt
             * @default null
             */
            cron?: string | null;
            /**
             * @description duration of each occurrence; only with `cron`
             * @default null
             */
            durationMinutes?: number | null;
            /**
             * @description time zone of `cron`, by its IANA name
             * @default UTC
             */
            timeZone?: string;
            /** @description its comment */
            name: string;
            /**
             * @description names of targets that are there, or in the document; empty: all
             * @default []
             */
            targets?: string[];
        } | {
            cron?: null;
            durationMinutes?: null;
        } | {
            cron: string;
            durationMinutes: number;
        };
        TargetPage: {
            data: components["schemas"]["Target"][];
            nextCursor: string | null;
        };
        Target: {
            /** Format: uuid */
            id: string;
            name: string;
            url: string;
            periodSeconds: number;
            enabled: boolean;
            vantages: components["schemas"]["VantageSelectorOutput"];
            settings: components["schemas"]["ProbeSettingsOutput"];
            tags: string[];
            demo: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        Problem: {
            type: string;
            title: string;
            status: number;
            detail: string;
            errors?: {
                field: string;
                message: string;
            }[];
        };
        TargetFigures: {
            metric: components["schemas"]["Metric"];
            stat: components["schemas"]["Stat"];
            unit: components["schemas"]["Unit"];
            from: string;
            to: string;
            data: {
                /** Format: uuid */
                id: string;
                name: string;
                demo: boolean;
                /** @description as of `Series` */
                generatedUntil: string | null;
                /** @description null: no results */
                value: number | null;
                /** @description how many results it is of */
                n: number;
                /** @description each region or carrier with results, as `groupBy` says; else empty */
                groups: {
                    region?: string;
                    carrier?: string;
                    /** @description null: no results */
                    value: number | null;
                    /** @description how many results it is of */
                    n: number;
                }[];
            }[];
            nextCursor: string | null;
        };
        /** @enum {string} */
        Unit: "ms" | "roundTrips" | "count" | "ratio" | "share";
        Staples: {
            /** Format: uuid */
            targetId: string;
            from: string;
            to: string;
            demo: boolean;
            /** @description full handshakes without a staple whose certificate names no responder */
            notApplicable: number;
            /** @description full handshakes that could have carried a staple, without those of status `unverified` */
            connections: number;
            /** @description those with a staple of status `good` */
            hits: number;
            /** @description hits / connections; null without connections */
            hitRatio: number | null;
            /** @description worst first */
            rows: components["schemas"]["StapleRow"][];
        };
        StapleRow: {
            peerAddress: string | null;
            /** @enum {string} */
            certificateKind: "RSA" | "ECDSA" | "other";
            /** @description full handshakes that could have carried a staple, without those of status `unverified` */
            connections: number;
            /** @description those with a staple of status `good` */
            hits: number;
            /** @description hits / connections; null without connections */
            hitRatio: number | null;
            /**
             * Format: date-time
             * @description minute of the first such connection in the range
             */
            firstSeenAt: string;
            /** Format: date-time */
            lastSeenAt: string;
            lastHitAt: string | null;
            /** @enum {string} */
            worstStatus: "good" | "revoked" | "unknown" | "stale" | "invalid" | "unverified" | "malformed" | "unsuccessful" | "missing" | "not_applicable" | "not_observed";
            /** @description connections by staple status */
            statuses: {
                [key: string]: number;
            };
        };
        TargetFailures: {
            /** Format: uuid */
            targetId: string;
            from: string;
            to: string;
            /** @description main results of the range */
            probes: number;
            /** @description null without results */
            availability: number | null;
            /** @description locations with results */
            places: {
                region: string;
                carrier: string;
            }[];
            failures: components["schemas"]["FailureSum"][];
        };
        FailureSum: {
            /** @enum {string} */
            phase: "dns" | "tcp" | "tls" | "firstByte" | "download";
            /** @enum {string} */
            reason: "dns_not_found" | "dns_no_address" | "dns_timeout" | "dns_refused" | "dns_server_failure" | "dns_error" | "address_not_allowed" | "tcp_refused" | "tcp_timeout" | "tcp_unreachable" | "tcp_reset" | "tcp_error" | "tls_timeout" | "tls_reset" | "tls_closed" | "tls_alert" | "tls_not_tls" | "tls_version" | "tls_no_shared_cipher" | "tls_weak" | "tls_client_certificate_required" | "tls_too_large" | "tls_error" | "cert_expired" | "cert_not_yet_valid" | "cert_self_signed" | "cert_untrusted" | "cert_incomplete_chain" | "cert_name_mismatch" | "cert_revoked" | "cert_weak" | "cert_invalid" | "http_timeout" | "http_reset" | "http_closed" | "http_protocol" | "http_status" | "http_body_mismatch" | "http_too_large" | "http_error" | "redirect_loop" | "too_many_redirects" | "redirect_not_followed" | "prober_offline" | "prober_file_limit" | "prober_overloaded" | "prober_fault";
            /** @enum {string} */
            source: "target" | "resolver" | "prober";
            /** @description share of the probes of the range; for the sources `target` and `resolver` prober failures are excluded, as in availability */
            share: number;
            /** @description the same share since `since`, in the range and before it; null if the failures have stopped */
            shareSince: number | null;
            /** @description affected locations, each region and carrier once */
            places: {
                region: string;
                carrier: string;
            }[];
            /**
             * Format: date-time
             * @description the earliest failure read
             */
            firstAt: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds; years 1 to 9999
             */
            lastAt: string;
            /** @description since when the failures have continued without a pause; null if they have stopped */
            since: string | null;
        };
        AdviceList: {
            /** @description null where no round trip is wasted, as far as the sample is enough */
            waste: components["schemas"]["Waste"] | null;
            /** @description omitted where each address that was tried connected */
            deadAddress?: components["schemas"]["DeadAddress"];
            sample: components["schemas"]["AdviceSample"];
            /** @description the largest first; empty for a healthy server */
            data: components["schemas"]["Advice"][];
        };
        /** @description Medians over the vantages */
        Waste: {
            /** @description round trips of a visit until the first byte of the body */
            roundTrips: number;
            /** @description how many of them need not be */
            wasted: number;
            /** @description what these cost at the vantage in the middle */
            medianMs: number;
            /** @description the region where they cost most; null where one alone was measured */
            worst: {
                region: string;
                ms: number;
            } | null;
            /** @description what they cost until the first byte of the body, and until all of it */
            until?: {
                firstBody: {
                    ms: number;
                    /** @description the whole time until then */
                    ofMs: number;
                };
                total: {
                    ms: number;
                    /** @description the whole time until then */
                    ofMs: number;
                };
            };
        };
        /** @description Addresses of the name that do not connect */
        DeadAddress: {
            /** @description the five at most that most results met */
            addresses: string[];
            /** @description results that met one before another address connected */
            results: number;
            ofResults: number;
            /** @description what these lost to it, at the median */
            ms: number;
            /** @description the whole time of these, at the median */
            ofMs: number;
        };
        /** @description What advice is made of */
        AdviceSample: {
            /** @description complete handshakes without loss, by a prober at rest */
            results: number;
            /** @description vantages that they are from */
            vantages: number;
            /** @description vantages that probe the target */
            ofVantages: number;
            /** @description false: too few for advice that is inferred from times (3 results at 2 vantages, or at the only one), so that its absence shows nothing yet */
            enough: boolean;
        };
        /** @description What to change, on what evidence, worth what to whom */
        Advice: {
            code: components["schemas"]["AdviceCode"];
            /** @enum {string} */
            severity: "info" | "warning" | "critical";
            /**
             * @description when it saves: on every visit (`first`), on a later visit by the same client (`return`), on each further request of a visit (`further`)
             * @enum {string}
             */
            occasion: "first" | "return" | "further";
            /** @description true: nothing that is to be gained today was measured */
            notice: boolean;
            /** @description round trips saved, median of the vantages that show it */
            roundTrips: number;
            /** @description for the client asked for: mean of all vantages, by their weights */
            savesMs: components["schemas"]["Savings"];
            /** @description the same for both kinds of client */
            gains: {
                browser: components["schemas"]["Savings"];
                api: components["schemas"]["Savings"];
            };
            /** @description vantages that show it, the largest gain first */
            vantages: components["schemas"]["AdviceVantage"][];
            /** @description vantages and results that show it */
            shown: {
                vantages: number;
                results: number;
            };
            /** @description vantages and results that could show it */
            judged: {
                vantages: number;
                results: number;
            };
            /** @description `model`: savings are from a replay of recorded responses with `changes` made; `rule`: some vantages have no response to replay, so a textbook exchange of that TLS version was taken; null: no time is saved by it */
            basis: ("model" | "rule") | null;
            /** @description what the model changes, as at the vantage in the middle */
            changes: components["schemas"]["ServerChange"][];
            /** @description figures of the evidence, by name */
            values: {
                [key: string]: number | string;
            };
            /** @description from the `server` header; null where it says nothing */
            server: ("nginx" | "apache" | "haproxy" | "caddy" | "node" | "cdn") | null;
            /** @description configuration by server; servers without a proven snippet are left out, and all of them where the `server` header names another */
            snippets: {
                [key: string]: string;
            };
            /** @enum {string} */
            confidence: "low" | "medium" | "high";
            title: string;
            evidence: string;
            fix: string;
            /** @description why it might not help */
            caveat: string;
        };
        /** @enum {string} */
        AdviceCode: "tls12" | "no_false_start" | "flight_over_window" | "compressed_flight" | "nagle" | "small_window" | "record_over_window" | "tiny_records" | "body_over_window" | "hello_retry" | "no_post_quantum" | "no_resumption" | "early_data" | "staple_missing" | "staple_stale" | "large_rsa_key" | "no_http2" | "no_keep_alive" | "redirect" | "no_http3" | "slow_dns" | "far_away" | "certificate_expiry" | "chain_problem";
        /** @description Milliseconds saved until the handshake is done, the first usable byte of the response, the first byte of its body, and all of it */
        Savings: {
            /** @description ms; negative where it gets slower */
            handshake: number;
            /** @description ms; negative where it gets slower */
            firstUsable: number;
            /** @description ms; negative where it gets slower */
            firstBody: number;
            /** @description ms; negative where it gets slower */
            total: number;
        };
        AdviceVantage: {
            /** @description null: this machine, without a server */
            id: string | null;
            name: string | null;
            country: string | null;
            region: string | null;
            carrier: string | null;
            /** @description median round-trip time */
            rttMs: number | null;
            /** @description results that could show it */
            results: number;
            /** @description results that show it */
            shown: number;
            roundTrips: number;
            savesMs: components["schemas"]["Savings"];
        };
        /** @description one thing about a server that is set otherwise */
        ServerChange: {
            /** @enum {string} */
            kind: "tls13" | "falseStart" | "noHelloRetry" | "ecdsa" | "noStaple" | "noDelay" | "compressCertificate" | "plainCertificate" | "resume" | "earlyData" | "keepAlive" | "http2" | "noRedirect";
        } | {
            /** @enum {string} */
            kind: "chain" | "records";
            bytes: number;
        } | {
            /** @constant */
            kind: "compressBody";
            ratio: number;
        } | {
            /** @constant */
            kind: "window";
            segments: number;
        } | {
            /** @constant */
            kind: "edge";
            rttMs: number;
        } | {
            /** @constant */
            kind: "dns";
            ms: number;
        };
        VantagePage: {
            data: components["schemas"]["Vantage"][];
            nextCursor: string | null;
        };
        Vantage: {
            /** Format: uuid */
            id: string;
            name: string;
            country: string;
            /** @description begins with `country` */
            region: string;
            city: string | null;
            carrier: string;
            asn: number | null;
            /** @default idc */
            access: components["schemas"]["AccessType"];
            demo: boolean;
            /** @description whether its prober is given secrets of targets; without, targets with secrets are not probed from it */
            mayHoldSecrets: boolean;
            /** @description null until a prober has enrolled for it */
            proberId: string | null;
            /** @description noted every 15 seconds */
            lastSeenAt: string | null;
            /** @description the prober's clock minus the server's, at its last contact */
            clockSkewMs: number | null;
            /** @description null if the prober has not reported for two days */
            prober: components["schemas"]["ProberActivity"] | null;
            /** @description the last time, of a day, in which the prober's own delay was three times its usual: the detector ignores these results; `until` null: it still is */
            busy: {
                /** Format: date-time */
                since: string;
                until: string | null;
            } | null;
            /** Format: date-time */
            createdAt: string;
        };
        ProberActivity: {
            /** Format: date-time */
            reportedAt: string;
            checks: number;
            threads: number;
            lastHour: {
                started: number;
                /** @description runs that were due and did not start */
                missed: number;
                retaken: number;
                /** @description runs whose main Result was taken while the prober was delayed too much */
                unclean: number;
                /** @description results discarded because the spool was full */
                dropped: number;
                /** @description results that the server rejected permanently */
                rejected: number;
            };
            lastDay: {
                started: number;
                /** @description runs that were due and did not start */
                missed: number;
                retaken: number;
                /** @description runs whose main Result was taken while the prober was delayed too much */
                unclean: number;
                /** @description results discarded because the spool was full */
                dropped: number;
                /** @description results that the server rejected permanently */
                rejected: number;
            };
            /** @description rejected results that the prober keeps on disk */
            quarantined: number;
            quarantineBytes: number;
        };
        Enrolment: {
            token: string;
            /** Format: date-time */
            expiresAt: string;
            vantage: components["schemas"]["Vantage"];
        };
        ResultPage: {
            data: components["schemas"]["Result"][];
            nextCursor: string | null;
            /** @description null unless the search reached its time limit: nothing before this instant was searched yet, and `nextCursor` continues from there, even if `data` is short or empty */
            searchedUntil: string | null;
        };
        Result: {
            /** Format: uuid */
            id: string;
            /**
             * @description which handshake of the check; default: `main`
             * @enum {string}
             */
            variant?: "main" | "resumed" | "rsa" | "ecdsa" | "redirect" | "reuse";
            /** @description id of the `main` Result that this one follows */
            mainId?: string | null;
            engineVersion: number;
            url: string;
            targetId: string | null;
            vantage: components["schemas"]["VantageRef"] | null;
            /** @description true where target and vantage belong to the demo network */
            demo: boolean;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds; years 1 to 9999
             */
            startedAt: string;
            ok: boolean;
            failure: components["schemas"]["Failure"] | null;
            phases: components["schemas"]["Phases"];
            marks: components["schemas"]["Marks"];
            network: components["schemas"]["ResultNetwork"];
            tls: components["schemas"]["ResultTls"] | null;
            http: components["schemas"]["ResultHttp"] | null;
            roundTrips?: components["schemas"]["RoundTrips"] | null;
            prober: components["schemas"]["ProberState"];
            findings: components["schemas"]["Finding"][];
        };
        VantageRef: {
            /** Format: uuid */
            id: string;
            name: string;
            country: string;
            region: string;
            city: string | null;
            carrier: string;
            asn: number | null;
            access: components["schemas"]["AccessType"];
        };
        /** @description Why a probe failed: phase, reason and source */
        Failure: {
            /** @enum {string} */
            phase: "dns" | "tcp" | "tls" | "firstByte" | "download";
            /** @enum {string} */
            reason: "dns_not_found" | "dns_no_address" | "dns_timeout" | "dns_refused" | "dns_server_failure" | "dns_error" | "address_not_allowed" | "tcp_refused" | "tcp_timeout" | "tcp_unreachable" | "tcp_reset" | "tcp_error" | "tls_timeout" | "tls_reset" | "tls_closed" | "tls_alert" | "tls_not_tls" | "tls_version" | "tls_no_shared_cipher" | "tls_weak" | "tls_client_certificate_required" | "tls_too_large" | "tls_error" | "cert_expired" | "cert_not_yet_valid" | "cert_self_signed" | "cert_untrusted" | "cert_incomplete_chain" | "cert_name_mismatch" | "cert_revoked" | "cert_weak" | "cert_invalid" | "http_timeout" | "http_reset" | "http_closed" | "http_protocol" | "http_status" | "http_body_mismatch" | "http_too_large" | "http_error" | "redirect_loop" | "too_many_redirects" | "redirect_not_followed" | "prober_offline" | "prober_file_limit" | "prober_overloaded" | "prober_fault";
            /** @enum {string} */
            source: "target" | "resolver" | "prober";
            message: string;
        };
        /** @description Durations in milliseconds; null where the phase did not happen */
        Phases: {
            dns: number | null;
            tcp: number | null;
            tls: number | null;
            firstByte: number | null;
            download: number | null;
            total: number | null;
            /** @description from the request to the last byte of the first record that holds a byte of the body; overlaps `firstByte` and `download`. Null without a body, and before engine 3 */
            firstBody?: number | null;
        };
        /** @description Milliseconds since the probe's start, under curl's names */
        Marks: {
            namelookup: number | null;
            connect: number | null;
            appconnect: number | null;
            pretransfer: number | null;
            starttransfer: number | null;
            /** @description the arrival of the first record that holds a byte of the body: not one of curl's */
            firstBody?: number | null;
            total: number | null;
        };
        /** @description Addresses used, and statistics of the kernel (null where not available) */
        ResultNetwork: {
            peerAddress: string | null;
            peerPort: number | null;
            localAddress: string | null;
            localPort: number | null;
            family: (4 | 6) | null;
            resolver: string | null;
            minRttMs: number | null;
            retransmits: number | null;
            sndCwnd: number | null;
            /** @description the kernel's round-trip time of the SYN */
            rttMs?: number | null;
            synRetransmits?: number | null;
            segmentsIn?: number | null;
            segmentsOut?: number | null;
            /** @description segments that arrived before an earlier one: usually a sign of packet loss */
            outOfOrder?: number | null;
            /** @description bytes of the server's full segments */
            mss?: number | null;
            /** @description the connects in their order, where more than one address was tried; omitted otherwise */
            attempts?: components["schemas"]["ConnectAttempt"][];
            /** @description duration of the connect that succeeded, where others had failed before it: `phases.tcp` contains all of them. Omitted otherwise */
            attemptMs?: number;
        };
        ConnectAttempt: {
            address: string;
            family: 4 | 6;
            /** @description since the start of the probe */
            atMs: number;
            durationMs: number;
            /** @description why it failed; null for the one that connected */
            reason: ("dns_not_found" | "dns_no_address" | "dns_timeout" | "dns_refused" | "dns_server_failure" | "dns_error" | "address_not_allowed" | "tcp_refused" | "tcp_timeout" | "tcp_unreachable" | "tcp_reset" | "tcp_error" | "tls_timeout" | "tls_reset" | "tls_closed" | "tls_alert" | "tls_not_tls" | "tls_version" | "tls_no_shared_cipher" | "tls_weak" | "tls_client_certificate_required" | "tls_too_large" | "tls_error" | "cert_expired" | "cert_not_yet_valid" | "cert_self_signed" | "cert_untrusted" | "cert_incomplete_chain" | "cert_name_mismatch" | "cert_revoked" | "cert_weak" | "cert_invalid" | "http_timeout" | "http_reset" | "http_closed" | "http_protocol" | "http_status" | "http_body_mismatch" | "http_too_large" | "http_error" | "redirect_loop" | "too_many_redirects" | "redirect_not_followed" | "prober_offline" | "prober_file_limit" | "prober_overloaded" | "prober_fault") | null;
            /** @description SYNs sent; null where the kernel was not asked, or none was sent */
            syns: number | null;
        };
        ResultTls: {
            version: string | null;
            cipher: string | null;
            group: string | null;
            alpn: string | null;
            resumed: boolean;
            helloRetry: boolean;
            handshake: components["schemas"]["Handshake"];
            certificate: components["schemas"]["Certificate"] | null;
            staple: components["schemas"]["Staple"];
            hellos?: components["schemas"]["Hellos"] | null;
            session?: components["schemas"]["SessionOffer"] | null;
            wire?: components["schemas"]["WireRecord"][];
            keyExchange?: ("ECDHE" | "DHE" | "RSA" | "PSK") | null;
            /** @description whether browsers may send their request after the first round trip of TLS 1.2 (ECDHE, AEAD and ALPN); null in TLS 1.3, and where resumed */
            falseStart?: boolean | null;
            /** @description bytes of the server's first full flight: from its ServerHello until it waits for us */
            flightBytes?: number | null;
            /** @description how the certificates were compressed (RFC 8879); null: not at all */
            certificateCompression?: string | null;
        };
        Handshake: {
            roundTrips: number | null;
            expectedRoundTrips: number | null;
            rttRatio: number | null;
            wireMs: number | null;
            localMs: number | null;
            /** @description the server's own work: `wireMs` less the round trips that it took; never below 0 */
            workMs?: number | null;
            flights: number | null;
            records: number;
            bytesIn: number;
            bytesOut: number;
        };
        Certificate: {
            subject: string;
            issuer: string;
            notBefore: string | null;
            notAfter: string | null;
            sha256: string;
            keyType: string;
            keyBits: number | null;
            names: string[];
            /** @description total number of names, if the certificate has more than `names` holds (the first ones, and the one that matched) */
            namesTotal?: number;
            chainLength: number | null;
            chainBytes: number | null;
            verified: boolean;
            verifyError?: string | null;
            mustStaple: boolean;
            ocspUrl: string | null;
            /** @description IANA name of the algorithm with which the server proved possession of its key */
            signature?: string | null;
            /** @description null if it could not be read from the wire */
            sent?: components["schemas"]["SentChain"] | null;
        };
        SentChain: {
            certificates: components["schemas"]["ChainCertificate"][];
            messageBytes: number;
            /** @description bytes of the message before compression; omitted where it was not compressed */
            uncompressedBytes?: number;
            /** @description bytes of the message if it were compressed by brotli; omitted where it was compressed */
            compressibleTo?: number;
            problems: ("wrong_order" | "missing_intermediate" | "extra_certificates" | "duplicate_certificates" | "root_sent")[];
        };
        ChainCertificate: {
            subject: string;
            issuer: string;
            notBefore: string | null;
            notAfter: string | null;
            sha256: string;
            keyType: string;
            keyBits: number | null;
            bytes: number;
            /**
             * @description set on an intermediate of the verified path that expires before the leaf
             * @constant
             */
            endsFirst?: true;
        };
        Staple: {
            /** @enum {string} */
            status: "good" | "revoked" | "unknown" | "stale" | "invalid" | "unverified" | "malformed" | "unsuccessful" | "missing" | "not_applicable" | "not_observed";
            producedAt: string | null;
            thisUpdate: string | null;
            nextUpdate: string | null;
            bytes: number;
            /** @description with status `unverified`: why the prober cannot check the response */
            why?: string;
        };
        Hellos: {
            clientBytes: number;
            offeredVersions: string[];
            offeredGroups: string[];
            keyShares: string[];
            offeredAlpn: string[];
            /** @description algorithms of certificate compression; omitted by engines before 4 */
            offeredCompression?: string[];
            serverLegacyVersion: string | null;
        };
        SessionOffer: {
            tickets: number;
            lifetimeSeconds: number | null;
            /** @description bytes of early data (0-RTT) that the server accepts; 0: none */
            earlyDataBytes: number;
        };
        /** @description atMs counts from the start of the probe */
        WireRecord: {
            atMs: number;
            /** @enum {string} */
            direction: "in" | "out";
            type: string;
            bytes: number;
        };
        ResultHttp: {
            /** @enum {string} */
            version: "2" | "1.0" | "1.1";
            status: number | null;
            /** @description bytes of the body that were read */
            bytes: number;
            /** @description omitted if the body was read to its end */
            bodyCut?: components["schemas"]["BodyCut"];
            firstRecordBytes: number | null;
            maxRecordBytes: number | null;
            records: number | null;
            server: string | null;
            location?: string | null;
            /** @description from the request to the first packet of the response, which may hold only part of a record */
            firstPacketMs?: number | null;
            /** @description from the request to the last byte of the first record of the response, when it can be decrypted */
            firstUsableMs?: number | null;
            /** @description from the request to the first packet of the first record that holds a byte of the body */
            firstBodyPacketMs?: number | null;
            /** @description bytes of that record, with its header and encryption */
            firstBodyRecordBytes?: number | null;
            /** @description content-encoding; null for none */
            encoding?: string | null;
            /** @description alt-svc, cut to 256 characters; null for none */
            altSvc?: string | null;
            /** @description whether the server keeps the connection for further requests; null where it did not say */
            keepAlive?: boolean | null;
            /** @description the server's own work until the first byte: the wait less the round trips that it took; never below 0 */
            workMs?: number | null;
        };
        BodyCut: {
            /**
             * @description `limit`: the prober stopped after the first MiB, which is no failure; `server`: the connection ended before the body was complete
             * @enum {string}
             */
            by: "limit" | "server";
            /** @description from content-length; null if absent */
            expectedBytes: number | null;
        };
        RoundTrips: {
            tcp: components["schemas"]["PhaseRoundTrips"];
            tls: components["schemas"]["PhaseRoundTrips"];
            /** @description until the first usable byte */
            firstByte: components["schemas"]["PhaseRoundTrips"];
            /** @description until the first packet of the response */
            firstPacket: components["schemas"]["PhaseRoundTrips"];
            /** @description from the request until the first byte of the body */
            firstBody?: components["schemas"]["PhaseRoundTrips"];
            /** @description waits after the first byte; none are expected */
            download?: components["schemas"]["PhaseRoundTrips"];
            serverWindow?: components["schemas"]["ServerWindow"] | null;
            waits: components["schemas"]["Wait"][];
        };
        PhaseRoundTrips: {
            took: number | null;
            expected: number | null;
        };
        /** @description The server's initial congestion window, estimated from the pauses */
        ServerWindow: {
            segments: number;
            bytes: number;
            /** @description false: at least so many, since nothing larger was sent, or what was larger was not counted */
            exact: boolean;
        };
        Wait: {
            /** @enum {string} */
            phase: "tls" | "firstByte" | "download";
            /** @description when the wait began, since the start of the probe */
            atMs: number;
            waitMs: number;
            /** @description bytes of the server's flight before it */
            afterBytes: number;
            /** @description segments since the pause before it; null where unknown */
            segments?: number | null;
            /**
             * @description `window`: the server's congestion window was full; `nagle`: a smaller segment waited for an acknowledgement (Nagle's algorithm, or writes of a small buffer); else `unknown`
             * @enum {string}
             */
            heldBy?: "window" | "nagle" | "unknown";
        };
        /** @description Load of the prober; a result that is not clean is excluded from percentiles */
        ProberState: {
            loopDelayMs: number;
            inFlight: number;
            clean: boolean;
            /** @description how much of the durations is delay of the prober; null if unknown */
            lateMs?: number | null;
            /**
             * @description source of arrival timestamps: `watcher` is a dedicated thread, `loop` the event loop
             * @enum {string}
             */
            stampedBy?: "watcher" | "loop";
            /** @description the prober's clock minus the server's, if `startedAt` was corrected by it; omitted otherwise */
            clockOffsetMs?: number;
        };
        /** @description A problem shown by the evidence of this result */
        Finding: {
            /** @enum {string} */
            code: "tls12_full_handshake" | "chain_exceeds_window" | "hello_retry" | "extra_round_trip" | "staple_stale" | "staple_missing" | "staple_invalid" | "staple_revoked" | "must_staple_violated" | "http1_only" | "http1_required" | "http_malformed" | "cert_expires_soon" | "implausible_ratio" | "loss" | "records_exceed_window" | "tiny_records" | "chain_wrong_order" | "chain_missing_intermediate" | "chain_extra_certificates" | "tickets_do_not_resume" | "no_false_start" | "body_exceeds_window" | "no_session" | "nagle_delay" | "small_window" | "dead_address";
            /** @enum {string} */
            severity: "info" | "warning" | "critical";
            savesRoundTrips: number | null;
            savesMs: number | null;
            evidence: string;
            /** @description the figures of the evidence */
            values?: {
                [key: string]: number | string;
            };
        };
        ResultAndFollowers: {
            /** Format: uuid */
            id: string;
            /**
             * @description which handshake of the check; default: `main`
             * @enum {string}
             */
            variant?: "main" | "resumed" | "rsa" | "ecdsa" | "redirect" | "reuse";
            /** @description id of the `main` Result that this one follows */
            mainId?: string | null;
            engineVersion: number;
            url: string;
            targetId: string | null;
            vantage: components["schemas"]["VantageRef"] | null;
            /** @description true where target and vantage belong to the demo network */
            demo: boolean;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds; years 1 to 9999
             */
            startedAt: string;
            ok: boolean;
            failure: components["schemas"]["Failure"] | null;
            phases: components["schemas"]["Phases"];
            marks: components["schemas"]["Marks"];
            network: components["schemas"]["ResultNetwork"];
            tls: components["schemas"]["ResultTls"] | null;
            http: components["schemas"]["ResultHttp"] | null;
            roundTrips?: components["schemas"]["RoundTrips"] | null;
            prober: components["schemas"]["ProberState"];
            findings: components["schemas"]["Finding"][];
            /** @description ids of the results that followed this `main` one, in order; omitted if there are none */
            followers?: string[];
        };
        Series: {
            metric: components["schemas"]["Metric"];
            stat: components["schemas"]["Stat"];
            unit: components["schemas"]["Unit"];
            stepSeconds: number;
            from: string;
            to: string;
            demo: boolean;
            /** @description data before this instant is generated, not measured (demo only); else null */
            generatedUntil: string | null;
            series: {
                labels: {
                    [key: string]: string;
                };
                points: [
                    string,
                    number | null,
                    number
                ][];
                /** @description the usual level at each point, ms: there for p50 of `tcp`, `tls`, `firstByte`; null: not known */
                usual?: (number | null)[];
            }[];
        };
        Matrix: {
            metric: components["schemas"]["Metric"];
            stat: components["schemas"]["Stat"];
            unit: components["schemas"]["Unit"];
            from: string;
            to: string;
            demo: boolean;
            /** @description data before this instant is generated, not measured (demo only); else null */
            generatedUntil: string | null;
            /** @description results excluded because the prober was overloaded */
            unclean: number;
            regions: string[];
            carriers: string[];
            cells: {
                region: string;
                carrier: string;
                value: number | null;
                n: number;
                /** @description `change` is relative: 0.047 is 4.7% more than in the comparison range */
                compare: {
                    value: number | null;
                    n: number;
                    change: number | null;
                } | null;
                /** @description the usual level at these hours, ms: there for p50 of `tcp`, `tls`, `firstByte`; null: not known */
                usual?: number | null;
            }[];
            margins: {
                regions: {
                    region: string;
                    value: number | null;
                    n: number;
                    /** @description `change` is relative: 0.047 is 4.7% more than in the comparison range */
                    compare: {
                        value: number | null;
                        n: number;
                        change: number | null;
                    } | null;
                    /** @description the usual level at these hours, ms: there for p50 of `tcp`, `tls`, `firstByte`; null: not known */
                    usual?: number | null;
                }[];
                carriers: {
                    carrier: string;
                    value: number | null;
                    n: number;
                    /** @description `change` is relative: 0.047 is 4.7% more than in the comparison range */
                    compare: {
                        value: number | null;
                        n: number;
                        change: number | null;
                    } | null;
                    /** @description the usual level at these hours, ms: there for p50 of `tcp`, `tls`, `firstByte`; null: not known */
                    usual?: number | null;
                }[];
                all: {
                    value: number | null;
                    n: number;
                    /** @description `change` is relative: 0.047 is 4.7% more than in the comparison range */
                    compare: {
                        value: number | null;
                        n: number;
                        change: number | null;
                    } | null;
                    /** @description the usual level at these hours, ms: there for p50 of `tcp`, `tls`, `firstByte`; null: not known */
                    usual?: number | null;
                };
            };
        };
        MeasurementPage: {
            data: components["schemas"]["ListedMeasurement"][];
            nextCursor: string | null;
        };
        ListedMeasurement: {
            /** Format: uuid */
            id: string;
            url: string;
            demo: boolean;
            createdBy: string;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description answers are awaited until then
             */
            endsAt: string;
            /**
             * Format: date-time
             * @description it is deleted then
             */
            expiresAt: string;
            cancelledAt: string | null;
            /** @description a link shows it without sign-in */
            shared: boolean;
            /** @description no vantage is `pending` or `taken` any more */
            finished: boolean;
            counts: components["schemas"]["MeasurementCounts"];
        };
        MeasurementCounts: {
            total: number;
            /** @description vantages that are `pending` or `taken` */
            pending: number;
            done: number;
            failed: number;
        };
        Measurement: {
            /** Format: uuid */
            id: string;
            url: string;
            demo: boolean;
            createdBy: string;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description answers are awaited until then
             */
            endsAt: string;
            /**
             * Format: date-time
             * @description it is deleted then
             */
            expiresAt: string;
            cancelledAt: string | null;
            /** @description a link shows it without sign-in */
            shared: boolean;
            /** @description no vantage is `pending` or `taken` any more */
            finished: boolean;
            counts: components["schemas"]["MeasurementCounts"];
            settings: components["schemas"]["MeasurementSettingsOutput"];
            /** @description in order of region and carrier */
            vantages: components["schemas"]["MeasurementVantage"][];
        };
        MeasurementVantage: {
            vantage: components["schemas"]["VantageRef"];
            /**
             * @description `pending`: not taken by its prober yet; `taken`: being probed; `done`: the Result is ok; `failed`: the Result is not ok, or there is none
             * @enum {string}
             */
            state: "pending" | "taken" | "done" | "failed";
            /** @description why a failed one has no Result: its prober was away when the measurement was created, did not ask for it, did not answer in time, or the measurement was cancelled; else null */
            reason: ("prober_away" | "not_taken" | "no_answer" | "cancelled") | null;
            /** @description `targetId` is null: it belongs to no target */
            result: components["schemas"]["Result"] | null;
        };
        MeasurementShare: components["schemas"]["ComparisonShare"];
        ComparisonShare: {
            /** @description of the page that needs no sign-in; shown this once */
            path: string;
        };
        RegressionPage: {
            data: components["schemas"]["Incident"][];
            nextCursor: string | null;
        };
        Incident: {
            /** Format: uuid */
            id: string;
            kind: components["schemas"]["IncidentKind"];
            /** @description where it is in its life; follows from the other fields */
            state: components["schemas"]["IncidentState"];
            status: components["schemas"]["IncidentStatus"];
            /** @description how it ended; null: still open, or an improvement. `accepted`: the change persists and is the new level */
            resolution: components["schemas"]["IncidentResolution"] | null;
            severity: components["schemas"]["Severity"];
            ruleId: string | null;
            ruleName: string | null;
            /** @description `tls`, `tcp`, `firstByte`, `failures`, `refused`, or a rule’s metric */
            metric: string | null;
            /** @description null: several targets, or none */
            targetId: string | null;
            targetName: string | null;
            /** @description null: several carriers, or none */
            carrier: string | null;
            region: string | null;
            cause: components["schemas"]["Cause"] | null;
            /** @description `resumption`: sessions are refused, or resumed handshakes alone moved; with cause `tls` */
            subCause: "resumption" | null;
            /** @description what the excess is made of, and where; null: too little is measured, or it is too small */
            explanation: components["schemas"]["IncidentExplanation"] | null;
            /** @description what its series would be without it; null: fewer than three unaffected series are known, or it is about no time */
            counterfactual: components["schemas"]["IncidentCounterfactual"] | null;
            candidates: components["schemas"]["IncidentCandidate"][];
            cells: components["schemas"]["IncidentCell"][];
            affected: components["schemas"]["Affected"];
            /** @description evidence of the rule, by kind (docs/api.md) */
            evidence: {
                [key: string]: unknown;
            };
            /** @description why probes fail, for kind `down` and spikes of failures; null for other kinds and if unknown */
            failure: components["schemas"]["IncidentFailure"] | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds; years 1 to 9999
             */
            openedAt: string;
            /**
             * Format: date-time
             * @description median of the onsets of its series, of those that are dated well; of what spread over its series, of those that changed first
             */
            onsetAt: string;
            /**
             * Format: date-time
             * @description markers among `candidates` were looked for from here, an hour before the onset may be
             */
            markersFrom: string;
            /**
             * Format: date-time
             * @description until here
             */
            markersTo: string;
            acknowledgedAt: string | null;
            acknowledgedBy: string | null;
            /** @description since when an open spike has been back to normal everywhere; its effect is measured before that */
            quietSince: string | null;
            /** @description when the spike is resolved if it stays normal; null: it is not back to normal */
            closesAt: string | null;
            /** @description what becomes of it by itself, and when, if nothing changes; null: nothing at a known time */
            next: {
                state: components["schemas"]["IncidentState"];
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC, milliseconds; years 1 to 9999
                 */
                at: string;
            } | null;
            resolvedAt: string | null;
            /** @description how often it recurred within an hour */
            reopened: number;
            /** @description median change of its cells, ms */
            effectMs: number | null;
            /** @description median relative change: 0.2 is 20% more */
            effectRatio: number | null;
            /** @description median by which its cells exceeded the level before at their peak, ms */
            peakMs: number | null;
            /** @description what it means to the users; null: not about places */
            impact: components["schemas"]["Impact"] | null;
            /** @description a silence suppresses its messages */
            silenced: boolean;
            /** @description opens and closes so often that its messages are suppressed */
            flapping: boolean;
            demo: boolean;
            /** @description the incident that it is part of; null: it stands for itself */
            mergedInto: string | null;
            /** @description one series alone: no message is sent before, unless another series joins */
            heldUntil: string | null;
            /** @description since when a large lasting change has been standing: neither recovered nor accepted within 48 hours */
            standingSince: string | null;
            /** @description of one that stands, or stood: what it has cost so far */
            cost: components["schemas"]["IncidentCost"] | null;
            /** @description who resolved or accepted it; null: by itself, or open */
            resolvedBy: string | null;
            /** @description the incident of which a person made it a separate one */
            splitFrom: string | null;
            /** @description a person called it not useful: until then new ones of its kind, rule and scope need twice the effect */
            notUseful: components["schemas"]["NotUseful"] | null;
        };
        /** @enum {string} */
        Cause: "network" | "server" | "tls";
        IncidentExplanation: {
            /**
             * Format: date-time
             * @description results up to here were compared
             */
            at: string;
            /** @enum {string} */
            metric: "tls" | "tcp" | "firstByte";
            beforeMs: number;
            /** @description the change, negative of an improvement: the effect of the incident where both are of one metric; its parts sum up to it */
            excessMs: number;
            series: number;
            results: {
                before: number;
                after: number;
            };
            /** @description the largest first; share of the excess, none negative */
            parts: {
                /** @enum {string} */
                code: "round_trips" | "resumption" | "hello_retry" | "loss" | "syn_loss" | "path" | "staple" | "handshake_work" | "server_work" | "own_delay" | "other";
                ms: number;
                share: number;
            }[];
            /** @description mean number of round trips; null for `tcp` */
            roundTrips: {
                before: number;
                after: number;
            } | null;
            /** @description what most of it says; null: no part decides, and `detected` stays */
            cause: components["schemas"]["Cause"] | null;
            /** @description the cause as the detector has it, from the phases of its samples */
            detected: components["schemas"]["Cause"] | null;
            /** @description null: nothing singles it out */
            where: components["schemas"]["ExplainedWhere"] | null;
        };
        ExplainedWhere: {
            /** @description all of these together; empty: everywhere */
            fixed: {
                /** @enum {string} */
                dimension: "carrier" | "region" | "target" | "family" | "peerAddress" | "resolver" | "certificate" | "staple" | "version" | "group" | "alpn";
                values: string[];
            }[];
            /** @description share of the excess that is there */
            explains: number;
            /** @description other values of these dimensions, where the rest is alike and times are as usual */
            spared: {
                /** @enum {string} */
                dimension: "carrier" | "region" | "target" | "family" | "peerAddress" | "resolver" | "certificate" | "staple" | "version" | "group" | "alpn";
                values: string[];
            }[];
        };
        IncidentCounterfactual: {
            /** @description the level before (`affected.before`), by the median of what unaffected series of the same targets moved by meanwhile */
            withoutMs: number;
            /** @description the level since: `affected.after` */
            nowMs: number;
            /** @description affected series: `affected.series` */
            series: number;
            /** @description unaffected series that were compared */
            siblings: number;
            /**
             * Format: date-time
             * @description results up to here were compared
             */
            at: string;
        };
        IncidentCandidate: {
            /** @constant */
            kind: "posture";
            /** Format: uuid */
            targetId: string;
            /** @enum {string} */
            field: "issuer" | "certificate" | "chainBytes" | "version" | "alpn" | "group" | "staple" | "peerAddress" | "resumed" | "roundTrips" | "cipher" | "keyType" | "recordBytes" | "serverWindow" | "tickets";
            /** @description the most frequent value before; null: none */
            before: string | null;
            after: string | null;
            /** @description share of the results before that had the value `after`, 0 to 1 */
            beforeShare: number;
            /** @description share of the results after that have it */
            afterShare: number;
        } | {
            /** @constant */
            kind: "finding";
            /** Format: uuid */
            targetId: string;
            /** @enum {string} */
            code: "tls12_full_handshake" | "chain_exceeds_window" | "hello_retry" | "extra_round_trip" | "staple_stale" | "staple_missing" | "staple_invalid" | "staple_revoked" | "must_staple_violated" | "http1_only" | "http1_required" | "http_malformed" | "cert_expires_soon" | "implausible_ratio" | "loss" | "records_exceed_window" | "tiny_records" | "chain_wrong_order" | "chain_missing_intermediate" | "chain_extra_certificates" | "tickets_do_not_resume" | "no_false_start" | "body_exceeds_window" | "no_session" | "nagle_delay" | "small_window" | "dead_address";
            /**
             * Format: date-time
             * @description the first result since the onset that has it
             */
            since: string;
            /** @description share of the results before that had it, 0 to 1 */
            beforeShare: number;
            /** @description share of the results after that have it */
            afterShare: number;
            /** @description what it costs, mean of the results since */
            savesRoundTrips: number | null;
            savesMs: number | null;
        } | {
            /** @constant */
            kind: "marker";
            /** Format: uuid */
            markerId: string;
            title: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds; years 1 to 9999
             */
            at: string;
            /** @description marker time minus onset; negative: the marker came first */
            offsetSeconds: number;
            /**
             * @description true: later than the onset may be, so it is not what caused it
             * @default false
             */
            later: boolean;
        };
        IncidentCell: {
            /** @description null: a silent vantage */
            targetId: string | null;
            targetName: string | null;
            /** @description null: not tied to one vantage */
            vantageId: string | null;
            vantageName: string | null;
            region: string | null;
            carrier: string | null;
            kind: components["schemas"]["IncidentKind"];
            metric: string | null;
            /**
             * @description `resumed`: of handshakes that offered a session
             * @enum {string}
             */
            variant: "main" | "resumed";
            /**
             * Format: date-time
             * @description when the change was detected
             */
            at: string;
            /**
             * Format: date-time
             * @description when the change began
             */
            changeAt: string;
            beforeMs: number | null;
            /** @description the typical level since: the median */
            afterMs: number | null;
            /** @description of a spike, the level that one result in ten exceeded; null: not measured */
            peakMs: number | null;
            /** @description share of its handshakes that resumed a session before, 0 to 1; null: not known */
            resumedBefore: number | null;
            /** @description the same since */
            resumedAfter: number | null;
            /** @description for an open spike, since when results have been back to normal; null: they are not */
            quietSince: string | null;
            recoveredAt: string | null;
        };
        Affected: {
            targets: number;
            /** @description of at most three */
            targetNames: string[];
            vantages: number;
            /** @description of at most three */
            vantageNames: string[];
            /** @description every place, of several, at which these targets are measured */
            everywhere: boolean;
            /**
             * @description places that are measured and not affected, where they are at most two of seven or more
             * @default []
             */
            spared: {
                region: string;
                carrier: string;
            }[];
            /** @description pairs of target and vantage, whatever number of metrics moved */
            series: number;
            /** @description 0: it is not about places */
            regions: number;
            /** @description all of the regions are provinces of China */
            provinces: boolean;
            /** @description the most affected first */
            carriers: {
                carrier: string;
                regions: number;
                /** @description regions in which these targets are measured on this carrier */
                of: number;
                /** @description the only one; null: several */
                region: string | null;
                /**
                 * @description the regions, where they are at most three
                 * @default []
                 */
                named: string[];
                /**
                 * @description regions that are measured on it and not affected, where they are at most two of seven or more
                 * @default []
                 */
                spared: string[];
            }[];
            /** @description the median of the levels before: ms, or 0 to 1 of failures and refused sessions */
            before: number | null;
            /** @description the same since */
            after: number | null;
            /**
             * @description share of handshakes that were full, not resumed, 0 to 1, where it moved by more than 0.15: the mean of its series; else null
             * @default null
             */
            full: {
                before: number;
                after: number;
            } | null;
        };
        IncidentFailure: {
            /** @enum {string} */
            phase: "dns" | "tcp" | "tls" | "firstByte" | "download";
            /** @enum {string} */
            reason: "dns_not_found" | "dns_no_address" | "dns_timeout" | "dns_refused" | "dns_server_failure" | "dns_error" | "address_not_allowed" | "tcp_refused" | "tcp_timeout" | "tcp_unreachable" | "tcp_reset" | "tcp_error" | "tls_timeout" | "tls_reset" | "tls_closed" | "tls_alert" | "tls_not_tls" | "tls_version" | "tls_no_shared_cipher" | "tls_weak" | "tls_client_certificate_required" | "tls_too_large" | "tls_error" | "cert_expired" | "cert_not_yet_valid" | "cert_self_signed" | "cert_untrusted" | "cert_incomplete_chain" | "cert_name_mismatch" | "cert_revoked" | "cert_weak" | "cert_invalid" | "http_timeout" | "http_reset" | "http_closed" | "http_protocol" | "http_status" | "http_body_mismatch" | "http_too_large" | "http_error" | "redirect_loop" | "too_many_redirects" | "redirect_not_followed" | "prober_offline" | "prober_file_limit" | "prober_overloaded" | "prober_fault";
            /** @enum {string} */
            source: "target" | "resolver" | "prober";
            /** @description share of the probes at the affected vantages around the opening that failed this way */
            share: number;
        };
        Impact: {
            /** @description share of the users of its targets that are affected, 0 to 1 */
            share: number;
            /** @description by how many ms these wait longer on average; null: not known */
            excessMs: number | null;
            /** @description the same over all users: `share` times `excessMs` */
            weightedMs: number | null;
        };
        IncidentCost: {
            /** @description since the onset, until it ended */
            hours: number;
            /** @description mean over its series of the level since minus the level before, each by the time it lasted */
            meanExcessMs: number;
            /** @description share of the users of its targets that it affects, as in `impact`; null: not known */
            users: number | null;
        };
        NotUseful: {
            by: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds; years 1 to 9999
             */
            at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds; years 1 to 9999
             */
            until: string;
        };
        IncidentPage: {
            data: components["schemas"]["Incident"][];
            nextCursor: string | null;
        };
        IncidentDetail: {
            /** Format: uuid */
            id: string;
            kind: components["schemas"]["IncidentKind"];
            /** @description where it is in its life; follows from the other fields */
            state: components["schemas"]["IncidentState"];
            status: components["schemas"]["IncidentStatus"];
            /** @description how it ended; null: still open, or an improvement. `accepted`: the change persists and is the new level */
            resolution: components["schemas"]["IncidentResolution"] | null;
            severity: components["schemas"]["Severity"];
            ruleId: string | null;
            ruleName: string | null;
            /** @description `tls`, `tcp`, `firstByte`, `failures`, `refused`, or a rule’s metric */
            metric: string | null;
            /** @description null: several targets, or none */
            targetId: string | null;
            targetName: string | null;
            /** @description null: several carriers, or none */
            carrier: string | null;
            region: string | null;
            cause: components["schemas"]["Cause"] | null;
            /** @description `resumption`: sessions are refused, or resumed handshakes alone moved; with cause `tls` */
            subCause: "resumption" | null;
            /** @description what the excess is made of, and where; null: too little is measured, or it is too small */
            explanation: components["schemas"]["IncidentExplanation"] | null;
            /** @description what its series would be without it; null: fewer than three unaffected series are known, or it is about no time */
            counterfactual: components["schemas"]["IncidentCounterfactual"] | null;
            candidates: components["schemas"]["IncidentCandidate"][];
            cells: components["schemas"]["IncidentCell"][];
            affected: components["schemas"]["Affected"];
            /** @description evidence of the rule, by kind (docs/api.md) */
            evidence: {
                [key: string]: unknown;
            };
            /** @description why probes fail, for kind `down` and spikes of failures; null for other kinds and if unknown */
            failure: components["schemas"]["IncidentFailure"] | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds; years 1 to 9999
             */
            openedAt: string;
            /**
             * Format: date-time
             * @description median of the onsets of its series, of those that are dated well; of what spread over its series, of those that changed first
             */
            onsetAt: string;
            /**
             * Format: date-time
             * @description markers among `candidates` were looked for from here, an hour before the onset may be
             */
            markersFrom: string;
            /**
             * Format: date-time
             * @description until here
             */
            markersTo: string;
            acknowledgedAt: string | null;
            acknowledgedBy: string | null;
            /** @description since when an open spike has been back to normal everywhere; its effect is measured before that */
            quietSince: string | null;
            /** @description when the spike is resolved if it stays normal; null: it is not back to normal */
            closesAt: string | null;
            /** @description what becomes of it by itself, and when, if nothing changes; null: nothing at a known time */
            next: {
                state: components["schemas"]["IncidentState"];
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC, milliseconds; years 1 to 9999
                 */
                at: string;
            } | null;
            resolvedAt: string | null;
            /** @description how often it recurred within an hour */
            reopened: number;
            /** @description median change of its cells, ms */
            effectMs: number | null;
            /** @description median relative change: 0.2 is 20% more */
            effectRatio: number | null;
            /** @description median by which its cells exceeded the level before at their peak, ms */
            peakMs: number | null;
            /** @description what it means to the users; null: not about places */
            impact: components["schemas"]["Impact"] | null;
            /** @description a silence suppresses its messages */
            silenced: boolean;
            /** @description opens and closes so often that its messages are suppressed */
            flapping: boolean;
            demo: boolean;
            /** @description the incident that it is part of; null: it stands for itself */
            mergedInto: string | null;
            /** @description one series alone: no message is sent before, unless another series joins */
            heldUntil: string | null;
            /** @description since when a large lasting change has been standing: neither recovered nor accepted within 48 hours */
            standingSince: string | null;
            /** @description of one that stands, or stood: what it has cost so far */
            cost: components["schemas"]["IncidentCost"] | null;
            /** @description who resolved or accepted it; null: by itself, or open */
            resolvedBy: string | null;
            /** @description the incident of which a person made it a separate one */
            splitFrom: string | null;
            /** @description a person called it not useful: until then new ones of its kind, rule and scope need twice the effect */
            notUseful: components["schemas"]["NotUseful"] | null;
            events: components["schemas"]["IncidentEvent"][];
        };
        IncidentEvent: {
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds; years 1 to 9999
             */
            at: string;
            /** @enum {string} */
            kind: "opened" | "cell_added" | "cell_recovered" | "escalated" | "merged" | "cause_changed" | "acknowledged" | "resolved" | "accepted" | "standing" | "split" | "not_useful" | "reopened" | "reminded" | "silenced" | "flapping" | "told" | "delivered" | "delivery_failed" | "note";
            text: string;
            params: {
                [key: string]: unknown;
            };
        };
        DetectionPage: {
            data: components["schemas"]["Detection"][];
            nextCursor: string | null;
        };
        Detection: {
            /** Format: uuid */
            id: string;
            kind: components["schemas"]["DetectionKind"];
            /** @description `tls`, `tcp`, `firstByte` or `failures` */
            metric: string;
            cause: components["schemas"]["Cause"];
            /**
             * Format: date-time
             * @description when it was found
             */
            at: string;
            /**
             * Format: date-time
             * @description when the change began
             */
            changeAt: string;
            /** Format: uuid */
            targetId: string;
            /** @description null: it was removed */
            targetName: string | null;
            /** Format: uuid */
            vantageId: string;
            vantageName: string | null;
            region: string | null;
            carrier: string | null;
            /** @description the level before, ms; of failures a share, 0 to 1 */
            beforeMs: number | null;
            /** @description the typical level since */
            afterMs: number | null;
            /** @description an incident a rule; none: too small to be shown */
            incidentIds: string[];
            demo: boolean;
        };
        MarkerPage: {
            data: components["schemas"]["Marker"][];
            nextCursor: string | null;
        };
        Marker: {
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds; years 1 to 9999
             */
            at: string;
            targetId: string | null;
            title: string;
            text: string;
            url: string | null;
            /** @description the name of the key, or `dashboard` */
            createdBy: string;
            demo: boolean;
            /** @description of the latest comparison around it; null: none */
            comparisonId: string | null;
        };
        ComparisonPage: {
            data: components["schemas"]["Comparison"][];
            nextCursor: string | null;
        };
        Comparison: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            targetId: string;
            targetName: string;
            markerId: string | null;
            incidentId: string | null;
            title: string;
            before: {
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC, milliseconds; years 1 to 9999
                 */
                from: string;
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC, milliseconds; years 1 to 9999
                 */
                to: string;
            };
            after: {
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC, milliseconds; years 1 to 9999
                 */
                from: string;
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC, milliseconds; years 1 to 9999
                 */
                to: string;
            };
            milestone: components["schemas"]["Milestone"];
            /** @enum {string} */
            status: "waiting" | "ready";
            /**
             * Format: date-time
             * @description when it is computed: once the results of the later window are in
             */
            dueAt: string;
            computedAt: string | null;
            /** @description null while it is waiting */
            headline: components["schemas"]["ComparisonHeadline"] | null;
            /** @description the same as a sentence, in English */
            summary: string | null;
            /** @description whether a link shows it to anybody */
            shared: boolean;
            createdBy: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds; years 1 to 9999
             */
            createdAt: string;
            demo: boolean;
        };
        ComparisonHeadline: {
            refusal: components["schemas"]["ComparisonRefusal"] | null;
            milestone: components["schemas"]["Milestone"];
            /** @description null: refused */
            direction: components["schemas"]["Direction"] | null;
            shift: components["schemas"]["ComparisonInterval"] | null;
            roundTrips: components["schemas"]["ComparisonInterval"] | null;
            workMs: components["schemas"]["ComparisonInterval"] | null;
            network: components["schemas"]["ComparisonInterval"] | null;
            /**
             * @description the shift less the network's part, ms
             * @default null
             */
            server: components["schemas"]["ComparisonInterval"] | null;
            /** @default [] */
            networkMoves: components["schemas"]["NetworkMove"][];
            /**
             * @description share of the offered sessions that the server refused, where it changed; else null
             * @default null
             */
            refused: {
                before: number;
                after: number;
            } | null;
            /** @description `provinces`: all of the regions are provinces of China */
            regions: {
                faster: number;
                slower: number;
                unclear: number;
                provinces: boolean;
            } | null;
            /**
             * @description the shift, ms, over the vantages of all regions of one direction
             * @default []
             */
            directions: {
                direction: components["schemas"]["Direction"];
                shift: components["schemas"]["ComparisonInterval"];
                server: components["schemas"]["ComparisonInterval"];
            }[];
            verdict: ("explained" | "not_explained" | "cant_tell" | "nothing_flipped") | null;
            cause: components["schemas"]["Setting"] | null;
            /** @description the value that the cause has since */
            causeAfter: string | null;
            /** @description round trips that the cause should add */
            predicted: number | null;
            /**
             * @description `attribution` is then of its `effect`; null: what changed did so in all results
             * @default null
             */
            mixture: components["schemas"]["ComparisonMixture"] | null;
        };
        ComparisonRefusal: {
            /** @enum {string} */
            reason: "too_few" | "overlap" | "gap" | "two_changes";
            values: {
                [key: string]: number | string;
            };
        };
        /** @enum {string} */
        Direction: "faster" | "slower" | "unclear";
        /** @description an estimate and the ends of its 95% confidence interval */
        ComparisonInterval: {
            value: number;
            low: number;
            high: number;
        };
        NetworkMove: {
            carrier: string | null;
            region: string | null;
            /** @description of the mean TCP connect, ms */
            shift: components["schemas"]["ComparisonInterval"];
            /** @description regions in which it moved */
            regions: number;
            /** @description regions that were compared */
            of: number;
        };
        /** @enum {string} */
        Setting: "version" | "alpn" | "group" | "helloRetry" | "cipher" | "keyExchange" | "keyType" | "certificate" | "issuer" | "chainBytes" | "certificateCompression" | "staple" | "resumed" | "tickets" | "recordBytes" | "serverWindow" | "nagle" | "encoding" | "keepAlive" | "altSvc" | "server" | "peerAddress";
        ComparisonMixture: {
            setting: components["schemas"]["Setting"];
            /** @description the value that fewer of the results have since */
            before: string;
            /** @description the value that more of them have */
            after: string;
            /** @description of the results that have `after` */
            share: {
                before: number;
                after: number;
            };
            /** @description results after with the new value against those before with the old one; null: too few */
            effect: components["schemas"]["MilestoneEffect"] | null;
            /** @description results that have this one value on both sides; null: too few */
            rest: {
                value: string;
                effect: components["schemas"]["MilestoneEffect"];
            } | null;
        };
        MilestoneEffect: {
            /** @description median over the vantages of their medians, ms */
            before: number;
            after: number;
            /** @description ms, negative: faster; Hodges-Lehmann over the vantages */
            shift: components["schemas"]["ComparisonInterval"];
            /**
             * @description the part of the shift that is the network's, ms: round trips times the change of the mean RTT
             * @default null
             */
            network: components["schemas"]["ComparisonInterval"] | null;
            /**
             * @description the rest, ms: round trips added times the RTT, and work
             * @default null
             */
            server: components["schemas"]["ComparisonInterval"] | null;
            /** @description round trips added; null: they were not counted, and the slope over the RTTs tells no whole number of them */
            roundTrips: components["schemas"]["ComparisonInterval"] | null;
            /**
             * @description `counted` by the results, else the slope over RTT of what the network leaves, a whole number
             * @default null
             */
            roundTripsBy: ("counted" | "slope") | null;
            /**
             * @description that slope as it was estimated
             * @default null
             */
            slope: components["schemas"]["ComparisonInterval"] | null;
            /** @description the server's own work added, ms: what network and round trips leave; null: as for `roundTrips` */
            workMs: components["schemas"]["ComparisonInterval"] | null;
            /** @description of the server's part; `unclear` where no region shows it */
            direction: components["schemas"]["Direction"];
        };
        ComparisonDetail: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            targetId: string;
            targetName: string;
            markerId: string | null;
            incidentId: string | null;
            title: string;
            before: {
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC, milliseconds; years 1 to 9999
                 */
                from: string;
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC, milliseconds; years 1 to 9999
                 */
                to: string;
            };
            after: {
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC, milliseconds; years 1 to 9999
                 */
                from: string;
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC, milliseconds; years 1 to 9999
                 */
                to: string;
            };
            milestone: components["schemas"]["Milestone"];
            /** @enum {string} */
            status: "waiting" | "ready";
            /**
             * Format: date-time
             * @description when it is computed: once the results of the later window are in
             */
            dueAt: string;
            computedAt: string | null;
            /** @description null while it is waiting */
            headline: components["schemas"]["ComparisonHeadline"] | null;
            /** @description the same as a sentence, in English */
            summary: string | null;
            /** @description whether a link shows it to anybody */
            shared: boolean;
            createdBy: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds; years 1 to 9999
             */
            createdAt: string;
            demo: boolean;
            figures: components["schemas"]["ComparisonFigures"] | null;
        };
        ComparisonFigures: {
            /** @description the one that vantages, cells and the distribution are about */
            milestone: components["schemas"]["Milestone"];
            /** @description sum over the vantages of the smaller number of results */
            pairs: number;
            /** @description length of the blocks of the bootstrap */
            blockMs: number;
            milestones: {
                [key: string]: components["schemas"]["MilestoneEffect"] | null;
            };
            /** @description shift of the mean TCP connect at the same vantages, ms */
            network: components["schemas"]["ComparisonInterval"];
            /**
             * @description whose network moved, the largest move first
             * @default []
             */
            networkMoves: components["schemas"]["NetworkMove"][];
            /**
             * @description the other handshakes of the check
             * @default []
             */
            variants: components["schemas"]["VariantComparison"][];
            phases: {
                /** @enum {string} */
                phase: "dns" | "tcp" | "tls" | "firstByte" | "firstBody" | "download" | "total";
                before: number;
                after: number;
                shift: components["schemas"]["ComparisonInterval"] | null;
            }[];
            vantages: {
                id: string;
                name: string;
                country: string;
                region: string;
                carrier: string;
                rttMs: number;
                vantages: number;
                n: {
                    before: number;
                    after: number;
                };
                shift: components["schemas"]["ComparisonInterval"];
                /** @description shift of the mean TCP connect, which is the network's */
                networkMs: number;
                /**
                 * @description the shift less the network's part, ms
                 * @default null
                 */
                server: components["schemas"]["ComparisonInterval"] | null;
                /** @description of the server's part, by Holm's correction over all of the list */
                direction: components["schemas"]["Direction"];
            }[];
            cells: {
                region: string;
                carrier: string;
                vantages: number;
                n: {
                    before: number;
                    after: number;
                };
                shift: components["schemas"]["ComparisonInterval"];
                /** @description shift of the mean TCP connect, which is the network's */
                networkMs: number;
                /**
                 * @description the shift less the network's part, ms
                 * @default null
                 */
                server: components["schemas"]["ComparisonInterval"] | null;
                /** @description of the server's part, by Holm's correction over all of the list */
                direction: components["schemas"]["Direction"];
            }[];
            regions: {
                region: string;
                vantages: number;
                n: {
                    before: number;
                    after: number;
                };
                shift: components["schemas"]["ComparisonInterval"];
                /** @description shift of the mean TCP connect, which is the network's */
                networkMs: number;
                /**
                 * @description the shift less the network's part, ms
                 * @default null
                 */
                server: components["schemas"]["ComparisonInterval"] | null;
                /** @description of the server's part, by Holm's correction over all of the list */
                direction: components["schemas"]["Direction"];
            }[];
            /**
             * @description the shift, ms, over the vantages of all regions of one direction
             * @default []
             */
            directions: {
                direction: components["schemas"]["Direction"];
                shift: components["schemas"]["ComparisonInterval"];
                server: components["schemas"]["ComparisonInterval"];
            }[];
            /** @description vantages without results after: not compared */
            onlyBefore: {
                id: string;
                name: string;
                country: string;
                region: string;
                carrier: string;
            }[];
            onlyAfter: {
                id: string;
                name: string;
                country: string;
                region: string;
                carrier: string;
            }[];
            controls: {
                /** @description A against A: the same milestone, before against the time before that; null: not measured then */
                earlier: components["schemas"]["ComparisonInterval"] | null;
                /** @description other targets at the same vantages in the same windows */
                others: {
                    id: string;
                    name: string;
                    shift: components["schemas"]["ComparisonInterval"];
                    network: components["schemas"]["ComparisonInterval"];
                }[];
            };
            attribution: components["schemas"]["ComparisonAttribution"];
            /**
             * @description `attribution` is then of its `effect`; null: what changed did so in all results
             * @default null
             */
            mixture: components["schemas"]["ComparisonMixture"] | null;
            shares: {
                setting: components["schemas"]["Setting"];
                /** @description shares of the results that have it, the largest first */
                values: {
                    value: string;
                    before: number;
                    after: number;
                }[];
            }[];
            /** @description quantiles of the milestone over all results of the paired vantages */
            distribution: {
                quantile: number;
                before: number;
                after: number;
            }[];
        };
        VariantComparison: {
            /** @enum {string} */
            variant: "main" | "resumed" | "rsa" | "ecdsa" | "reuse";
            pairs: number;
            /** @description of `resumed`: share of the sessions that the server refused; null: another variant */
            refused: {
                before: number;
                after: number;
            } | null;
            /** @description whether that changed by more than chance */
            refusedChanged: boolean;
            milestones: {
                [key: string]: components["schemas"]["MilestoneEffect"] | null;
            };
            attribution: components["schemas"]["ComparisonAttribution"];
            /**
             * @description `attribution` is then of its `effect`; null: what changed did so in all results
             * @default null
             */
            mixture: components["schemas"]["ComparisonMixture"] | null;
            shares: {
                setting: components["schemas"]["Setting"];
                /** @description shares of the results that have it, the largest first */
                values: {
                    value: string;
                    before: number;
                    after: number;
                }[];
            }[];
        };
        ComparisonAttribution: {
            /**
             * @description `explained`: the one flip predicts what was measured; `cant_tell`: several flipped at once, or the interval is too wide
             * @enum {string}
             */
            verdict: "explained" | "not_explained" | "cant_tell" | "nothing_flipped";
            /** @description the one flip that may be the cause */
            cause: components["schemas"]["Setting"] | null;
            flips: components["schemas"]["SettingFlip"][];
            /** @description round trips added to the milestone */
            measured: number | null;
            predicted: number | null;
        };
        SettingFlip: {
            setting: components["schemas"]["Setting"];
            /** @description the most frequent value, or the median of a number; `none`: not present */
            before: string;
            after: string;
            /** @description share of the results that flipped */
            share: number;
            /** @description the flip that brings this one along; null: a change by itself */
            partOf: components["schemas"]["Setting"] | null;
            /** @description null: nothing can be predicted of it */
            predicted: {
                /** @description round trips that it adds to the milestone */
                roundTrips: number;
                /** @enum {string} */
                by: "model" | "table";
            } | null;
        };
        AlertRulePage: {
            data: components["schemas"]["AlertRule"][];
            nextCursor: string | null;
        };
        AlertRule: {
            /** @constant */
            kind: "detector";
            metric: components["schemas"]["WatchedMetric"] | null;
            params: {
                /**
                 * @default [
                 *       "spike",
                 *       "regression",
                 *       "improvement"
                 *     ]
                 */
                kinds: ("spike" | "regression" | "improvement")[];
                /** @description about so many false pages a week for all series together, however many there are: what fewer series show than that allows is listed, and sends no message until more join (a spike: until half an hour has passed); null: no budget */
                falsePagesPerWeek?: number | null;
            };
            /**
             * @description its rate of false pages, to hold against `falsePagesPerWeek`; null: not counted
             * @default null
             */
            achieved: components["schemas"]["RuleAchieved"] | null;
            /** Format: uuid */
            id: string;
            name: string;
            enabled: boolean;
            targetIds: string[];
            regions: string[];
            carriers: string[];
            minCells: number;
            severity: components["schemas"]["Severity"];
            reminderMinutes: number | null;
            demo: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        } | {
            /** @constant */
            kind: "threshold";
            /** @enum {string} */
            metric: "dns" | "tcp" | "tls" | "firstByte" | "download" | "total" | "roundTrips" | "firstBody";
            params: {
                /** @default p95 */
                stat: components["schemas"]["Stat"];
                /**
                 * @description in the unit of metric and stat
                 * @default null
                 */
                above: number | null;
                /** @default null */
                below: number | null;
                /** @default 10 */
                windowMinutes: number;
                /** @default 5 */
                minResults: number;
            } & ({
                above: number;
            } | {
                below: number;
            });
            /** Format: uuid */
            id: string;
            name: string;
            enabled: boolean;
            targetIds: string[];
            regions: string[];
            carriers: string[];
            minCells: number;
            severity: components["schemas"]["Severity"];
            reminderMinutes: number | null;
            demo: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        } | {
            /** @constant */
            kind: "down";
            metric: null;
            params: {
                /** @default 5 */
                windowMinutes: number;
                /**
                 * @description share of the expected vantages, silent ones included, that must fail; in addition to minCells
                 * @default 0.5
                 */
                share: number;
            };
            /** Format: uuid */
            id: string;
            name: string;
            enabled: boolean;
            targetIds: string[];
            regions: string[];
            carriers: string[];
            minCells: number;
            severity: components["schemas"]["Severity"];
            reminderMinutes: number | null;
            demo: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        } | {
            /** @constant */
            kind: "certificate";
            metric: null;
            params: {
                /**
                 * @description days until the certificate expires; of a certificate that lives no longer than that, a third of its lifetime
                 * @default 14
                 */
                days: number;
            };
            /** Format: uuid */
            id: string;
            name: string;
            enabled: boolean;
            targetIds: string[];
            regions: string[];
            carriers: string[];
            minCells: number;
            severity: components["schemas"]["Severity"];
            reminderMinutes: number | null;
            demo: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        } | {
            /** @constant */
            kind: "staple";
            metric: null;
            params: {
                /**
                 * @description opens below this ratio
                 * @default 0.5
                 */
                hitRatio: number;
                /** @default 60 */
                windowMinutes: number;
                /** @default 20 */
                minHandshakes: number;
            };
            /** Format: uuid */
            id: string;
            name: string;
            enabled: boolean;
            targetIds: string[];
            regions: string[];
            carriers: string[];
            minCells: number;
            severity: components["schemas"]["Severity"];
            reminderMinutes: number | null;
            demo: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        } | {
            /** @constant */
            kind: "silent";
            metric: null;
            params: {
                /**
                 * @description periods of the vantage’s most frequent check
                 * @default 5
                 */
                periods: number;
            };
            /** Format: uuid */
            id: string;
            name: string;
            enabled: boolean;
            targetIds: string[];
            regions: string[];
            carriers: string[];
            minCells: number;
            severity: components["schemas"]["Severity"];
            reminderMinutes: number | null;
            demo: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        RuleAchieved: {
            /** @description counted over so many days, 28 at most, or since the rule was made */
            days: number;
            /** @description incidents about which a message went out */
            pages: number;
            /** @description of these what a person called not useful, and spikes of one series that were over within 45 minutes */
            falsePages: number;
            falsePerWeek: number;
        };
        AlertRuleReplay: {
            replay: components["schemas"]["RulePreview"] | null;
        };
        /** @description The incidents a rule would have opened in the last week or day */
        RulePreview: {
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
            /** @description the rule was evaluated this often; null for a detector rule, whose detections are stored */
            stepSeconds: number | null;
            count: number;
            /** @description the newest */
            incidents: components["schemas"]["RuleWouldFire"][];
            /** @description fewer are replayed where there was not time for all */
            targets: {
                replayed: number;
                of: number;
            };
        };
        RuleWouldFire: {
            /** @description null: of several targets */
            targetId: string | null;
            /** Format: date-time */
            openedAt: string;
            endedAt: string | null;
            series: number;
        };
        SilencePage: {
            data: components["schemas"]["Silence"][];
            nextCursor: string | null;
        };
        Silence: {
            /** Format: uuid */
            id: string;
            targetIds: string[];
            regions: string[];
            carriers: string[];
            kinds: components["schemas"]["IncidentKind"][];
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds; years 1 to 9999
             */
            startsAt: string;
            endsAt: string | null;
            cron: string | null;
            durationMinutes: number | null;
            timeZone: string;
            comment: string;
            /** @description the name of the key, or `dashboard` */
            createdBy: string;
            /** @description messages are suppressed now */
            active: boolean;
            /** @description next start; null: none */
            nextAt: string | null;
        };
        WebhookPage: {
            data: components["schemas"]["Webhook"][];
            nextCursor: string | null;
        };
        Webhook: {
            /** Format: uuid */
            id: string;
            name: string;
            format: components["schemas"]["WebhookFormat"];
            /** @description the part after the host is `***` for readers, and for everyone if it is itself a credential */
            url: string | null;
            /** @description valid secrets, newest first: only the last characters */
            secrets: {
                hint: string;
                expiresAt: string | null;
            }[];
            language: components["schemas"]["WebhookLanguage"];
            events: string[];
            ruleIds: string[];
            severities: string[];
            /** @description `email` is null for readers */
            settings: components["schemas"]["WebhookSettingsOutput"];
            /** @description `***` for readers */
            template: string | null;
            enabled: boolean;
            disabledReason: string | null;
            /** @description no messages before this time: the receiver asked for it or keeps failing */
            slowUntil: string | null;
            demo: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        WebhookCreated: {
            /** Format: uuid */
            id: string;
            name: string;
            format: components["schemas"]["WebhookFormat"];
            /** @description the part after the host is `***` for readers, and for everyone if it is itself a credential */
            url: string | null;
            /** @description valid secrets, newest first: only the last characters */
            secrets: {
                hint: string;
                expiresAt: string | null;
            }[];
            language: components["schemas"]["WebhookLanguage"];
            events: string[];
            ruleIds: string[];
            severities: string[];
            /** @description `email` is null for readers */
            settings: components["schemas"]["WebhookSettingsOutput"];
            /** @description `***` for readers */
            template: string | null;
            enabled: boolean;
            disabledReason: string | null;
            /** @description no messages before this time: the receiver asked for it or keeps failing */
            slowUntil: string | null;
            demo: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            secret: string | null;
        };
        Delivery: {
            /** Format: uuid */
            id: string;
            /** @description the header `webhook-id`, the same in every attempt */
            messageId: string;
            /** Format: uuid */
            webhookId: string;
            incidentId: string | null;
            eventType: string;
            status: components["schemas"]["DeliveryStatus"];
            /** @description since creation or replay */
            attempts: number;
            /** @description time of the next attempt; null if there is none */
            nextAt: string | null;
            /** @description the delivery that includes this one */
            groupId: string | null;
            /** Format: date-time */
            createdAt: string;
            deliveredAt: string | null;
        };
        WebhookPreview: {
            event: components["schemas"]["WebhookEventType"];
            /** @description false if it is the latest actual message of this type */
            sample: boolean;
            url: string;
            headers: {
                [key: string]: string;
            };
            body: string;
        };
        DeliveryPage: {
            data: components["schemas"]["Delivery"][];
            nextCursor: string | null;
        };
        DeliveryDetail: {
            /** Format: uuid */
            id: string;
            /** @description the header `webhook-id`, the same in every attempt */
            messageId: string;
            /** Format: uuid */
            webhookId: string;
            incidentId: string | null;
            eventType: string;
            status: components["schemas"]["DeliveryStatus"];
            /** @description since creation or replay */
            attempts: number;
            /** @description time of the next attempt; null if there is none */
            nextAt: string | null;
            /** @description the delivery that includes this one */
            groupId: string | null;
            /** Format: date-time */
            createdAt: string;
            deliveredAt: string | null;
            payload: components["schemas"]["WebhookPayload"];
            /** @description newest first, at most 100 */
            log: components["schemas"]["DeliveryAttempt"][];
        };
        WebhookPayload: {
            type: components["schemas"]["WebhookEventType"];
            /** Format: date-time */
            timestamp: string;
            data: {
                [key: string]: unknown;
            };
        };
        DeliveryAttempt: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            at: string;
            /** @description HTTP or SMTP; null if there was no response */
            status: number | null;
            durationMs: number | null;
            requestHeaders: {
                [key: string]: string;
            } | null;
            requestBody: string | null;
            responseHeaders: {
                [key: string]: string;
            } | null;
            responseBody: string | null;
            /** @description why the attempt failed; null if it was accepted */
            error: string | null;
        };
        StatusPagePage: {
            data: components["schemas"]["StatusPage"][];
            nextCursor: string | null;
        };
        StatusPage: {
            /** Format: uuid */
            id: string;
            title: string;
            tag: string | null;
            /** Format: date-time */
            createdAt: string;
        };
        StatusPageCreated: {
            /** Format: uuid */
            id: string;
            title: string;
            tag: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description of the page; `…/wall` is for a screen in a room, `…/badge.svg` a badge */
            path: string;
        };
        ApiKeyPage: {
            data: components["schemas"]["ApiKey"][];
            nextCursor: string | null;
        };
        ApiKey: {
            /** Format: uuid */
            id: string;
            name: string;
            scope: components["schemas"]["KeyScope"];
            /** @description the first characters, to identify the key */
            prefix: string;
            /** Format: date-time */
            createdAt: string;
            lastUsedAt: string | null;
        };
        ApiKeyCreated: {
            /** Format: uuid */
            id: string;
            name: string;
            scope: components["schemas"]["KeyScope"];
            /** @description the first characters, to identify the key */
            prefix: string;
            /** Format: date-time */
            createdAt: string;
            lastUsedAt: string | null;
            key: string;
        };
        Session: {
            /** @description true with a session cookie or an API key */
            signedIn: boolean;
            /** @description null: no access */
            scope: ("read" | "write" | "admin") | null;
            /** @description true if reading needs no authentication */
            publicDashboard: boolean;
        };
        ActiveSessions: {
            data: components["schemas"]["ActiveSession"][];
        };
        ActiveSession: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description rounded to a minute
             */
            lastSeenAt: string;
            /** Format: date-time */
            expiresAt: string;
            /** @description IP address of the sign-in */
            address: string;
            /** @description the browser's `User-Agent`, truncated to 200 characters */
            userAgent: string;
            /** @description true for the session of this request */
            current: boolean;
        };
        DemoState: {
            present: boolean;
            removed: boolean;
            targets: number;
            vantages: number;
        };
        Retention: {
            classes: components["schemas"]["RetainedClass"][];
            /** @description The whole database on disk */
            databaseBytes: number;
            /** @description Free on the disk of the database; null where the database is on another machine */
            freeBytes: number | null;
            /** @description Days until the disk is full at these lengths and rates; null where it suffices or is not known */
            fullInDays: number | null;
        };
        RetainedClass: {
            /** @enum {string} */
            name: "rawDays" | "oddDays" | "minuteDays" | "tenMinuteDays" | "hourDays" | "dayDays" | "incidentDays" | "detectionDays" | "deliveryDays";
            days: number;
            defaultDays: number;
            /** @enum {string} */
            setBy: "default" | "setting" | "environment";
            /** @description On disk now, indexes included */
            bytes: number;
            /** @description How much a day of it takes, from the newest whole days; null before there is one */
            bytesPerDay: number | null;
            /** @description What so many days take at that rate; null before it is known */
            bytesWhenFull: number | null;
        };
        EnrolResponse: {
            /** Format: uuid */
            proberId: string;
            /** @description shown only here; absent if the request contained a credential hash */
            credential?: string;
            vantages: components["schemas"]["VantageRef"][];
        };
        Assignments: {
            revision: string;
            full: boolean;
            checks: components["schemas"]["Check"][];
            removed: string[];
            /** Format: date-time */
            serverTime: string;
            pollSeconds: number;
        };
        Check: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            targetId: string;
            url: string;
            vantage: components["schemas"]["VantageRef"];
            demo: boolean;
            periodSeconds: number;
            timeoutMs: number;
            settings: components["schemas"]["ProbeSettingsOutput"];
            /** @description the server lets this check reach loopback and private addresses */
            allowPrivate: boolean;
        };
        /** @description A result named in `rejected` without `retry` will never be accepted: do not send it again */
        IngestReport: {
            accepted: number;
            duplicates: number;
            rejected: {
                index: number;
                id: string | null;
                field: string | null;
                message: string;
                /** @description true: temporary. Send the result again: at once with a corrected time if only its time is invalid, otherwise later */
                retry?: boolean;
            }[];
            /** @description why the report of this batch was ignored */
            reportErrors?: {
                field: string;
                message: string;
            }[];
            /**
             * Format: date-time
             * @description the server's clock at the response, from which the clock offset is computed
             */
            serverTime?: string;
            /** @description newest form of a batch that this server accepts: from 2 on it may have `shared`, from 3 on `until`. Without it, 1 */
            batchForm?: number;
            /** @description how long to wait before the next batch, in ms, unless 250 results are waiting: shorter while figures are being read. Without it, a second */
            nextBatchMs?: number;
        };
        MeasurementTasks: {
            data: components["schemas"]["MeasurementTask"][];
            /** @description measurements whose tasks are not to be begun any more */
            cancelled: string[];
        };
        MeasurementTask: {
            /** Format: uuid */
            measurementId: string;
            url: string;
            vantage: components["schemas"]["VantageRef"];
            demo: boolean;
            timeoutMs: number;
            settings: components["schemas"]["ProbeSettingsOutput"];
            allowPrivate: boolean;
        };
        MeasurementReport: {
            accepted: number;
            /** @description answered already, or cancelled */
            duplicates: number;
            rejected: {
                index: number;
                field: string | null;
                message: string;
            }[];
        };
        /** @description The process serves requests; independent of the database */
        Health: {
            /** @constant */
            status: "ok";
            version: string;
        };
        /** @description Database, migrations and jobs are up; otherwise the response is a problem with the reason */
        Readiness: {
            ready: boolean;
            reason: string | null;
            /** @description what does not work while pages and ingest do, absent where all works: `secrets`, the stored addresses and secrets of webhooks and targets cannot be decrypted; `jobs`, which do not start for that reason, or are not up where `part=web` asks */
            degraded?: {
                /** @enum {string} */
                part: "secrets" | "jobs";
                reason: string;
            }[];
        };
        ConfigurationExport: {
            /** @description as in `Configuration`, without what is as by default */
            targets: ({
                name: string;
                url: string;
            } & {
                [key: string]: unknown;
            })[];
            /** @description as in `Configuration`, without what is as by default */
            alertRules: ({
                name: string;
                kind: string;
            } & {
                [key: string]: unknown;
            })[];
            /** @description as in `Configuration`, without what is as by default */
            webhooks: ({
                name: string;
                format: string;
            } & {
                [key: string]: unknown;
            })[];
            /**
             * @description as in `Configuration`, without what is as by default
             * @default []
             */
            silences: ({
                name: string;
            } & {
                [key: string]: unknown;
            })[];
        };
        ConfigurationPlan: {
            applied: boolean;
            unchanged: number;
            steps: components["schemas"]["ConfigurationStep"][];
        };
        ConfigurationStep: {
            /** @enum {string} */
            section: "targets" | "alertRules" | "webhooks" | "silences";
            name: string;
            /** @enum {string} */
            action: "create" | "change" | "delete";
            /** @description what a change is of; secrets are `***` */
            fields: {
                field: string;
                before: unknown;
                after: unknown;
            }[];
        };
        VantageSelectorOutput: {
            /** @default [] */
            regions: string[];
            /** @default [] */
            carriers: string[];
            /** @default [] */
            vantageIds: string[];
        };
        ProbeSettingsOutput: {
            /**
             * @default [
             *       "h2",
             *       "http/1.1"
             *     ]
             */
            alpn: ("h2" | "http/1.1")[];
            /**
             * @description offers only this version; null offers both
             * @default null
             */
            tlsVersion: ("1.2" | "1.3") | null;
            /**
             * @description requests this certificate type; `both` adds two probes after the main one, for RSA and for ECDSA, as separate Results
             * @default null
             */
            sigalgs: ("RSA" | "ECDSA" | "both") | null;
            /**
             * @description adds a handshake that resumes the session of each full one, as a separate Result
             * @default false
             */
            resume: boolean;
            /** @description adds a second request on the same connection, as a separate Result; default: false; unused if http is false */
            reuse?: boolean;
            /** @description requests a compressed body, as browsers do (accept-encoding: br, gzip); default: false; unused if http is false */
            compression?: boolean;
            /** @description offers certificate compression (RFC 8879: brotli, zlib, zstd), as browsers do; default: true; TLS 1.3 only */
            certificateCompression?: boolean;
            /**
             * @description server name to send, which the certificate must contain; null: the URL's host
             * @default null
             */
            sni: string | null;
            /**
             * @description connects only by IPv4 or IPv6; null: IPv4 first, then the families in turn
             * @default null
             */
            family: (4 | 6) | null;
            /**
             * @description fixed address instead of a DNS lookup
             * @default null
             */
            address: (string) | null;
            /**
             * @description resolver to use instead of the system's: ADDRESS, ADDRESS:PORT or [ADDRESS]:PORT
             * @default null
             */
            resolver: string | null;
            /**
             * @description false accepts untrusted certificates
             * @default true
             */
            verify: boolean;
            /**
             * @description false ends the probe after the handshake
             * @default true
             */
            http: boolean;
            /**
             * @description trusted roots (PEM) instead of the public roots
             * @default null
             */
            caPem: string | null;
            /**
             * @description sent to servers that request one; the key is never returned
             * @default null
             */
            clientCertificate: components["schemas"]["ClientCertificate"] | null;
            /** @description the request; unused if http is false */
            request: components["schemas"]["ProbeRequestSettingsOutput"];
            /** @description checks of the response; unused if http is false */
            expect: components["schemas"]["ExpectationOutput"];
            /**
             * @description how many redirects are followed, each as a separate Result; 0 reports the redirect only; unused if http is false
             * @default 0
             */
            redirects: number;
            timeouts: components["schemas"]["TimeoutsOutput"];
        };
        ProbeRequestSettingsOutput: {
            /**
             * @default GET
             * @enum {string}
             */
            method: "GET" | "HEAD" | "OPTIONS" | "POST" | "PUT" | "PATCH" | "DELETE";
            /** @default [] */
            headers: {
                /** @description none of connection, content-length, host, http2-settings, keep-alive, proxy-connection, te, trailer, transfer-encoding, upgrade */
                name: string;
                /** @description sent as UTF-8 */
                value: string;
                /** @description true: the value is secret, as it is of headers that hold a secret by their name; default: false */
                secret?: boolean;
            }[];
            /** @default null */
            body: string | null;
        };
        ExpectationOutput: {
            /**
             * @description empty: all below 400
             * @default []
             */
            status: string[];
            /** @default null */
            bodyContains: string | null;
            /** @default null */
            bodyLacks: string | null;
        };
        TimeoutsOutput: {
            /** @default 3000 */
            dns: number;
            /** @default 5000 */
            tcp: number;
            /** @default 8000 */
            tls: number;
            /** @default 8000 */
            firstByte: number;
            /** @default 8000 */
            download: number;
        };
        MeasurementSettingsOutput: {
            /**
             * @default [
             *       "h2",
             *       "http/1.1"
             *     ]
             */
            alpn: ("h2" | "http/1.1")[];
            /**
             * @description offers only this version; null offers both
             * @default null
             */
            tlsVersion: ("1.2" | "1.3") | null;
            /** @description requests a compressed body, as browsers do (accept-encoding: br, gzip); default: false; unused if http is false */
            compression?: boolean;
            /** @description offers certificate compression (RFC 8879: brotli, zlib, zstd), as browsers do; default: true; TLS 1.3 only */
            certificateCompression?: boolean;
            /**
             * @description server name to send, which the certificate must contain; null: the URL's host
             * @default null
             */
            sni: string | null;
            /**
             * @description connects only by IPv4 or IPv6; null: IPv4 first, then the families in turn
             * @default null
             */
            family: (4 | 6) | null;
            /**
             * @description fixed address instead of a DNS lookup
             * @default null
             */
            address: (string) | null;
            /**
             * @description resolver to use instead of the system's: ADDRESS, ADDRESS:PORT or [ADDRESS]:PORT
             * @default null
             */
            resolver: string | null;
            /**
             * @description false accepts untrusted certificates
             * @default true
             */
            verify: boolean;
            /**
             * @description false ends the probe after the handshake
             * @default true
             */
            http: boolean;
            /**
             * @description trusted roots (PEM) instead of the public roots
             * @default null
             */
            caPem: string | null;
            /** @description checks of the response; unused if http is false */
            expect: components["schemas"]["ExpectationOutput"];
            timeouts: components["schemas"]["TimeoutsOutput"];
            /**
             * @description requests this certificate type
             * @default null
             */
            sigalgs: ("RSA" | "ECDSA") | null;
        };
        EmailSettingsOutput: {
            host: string;
            /** @default 587 */
            port: number;
            /**
             * @description true: TLS from the first byte (port 465); false: STARTTLS if offered
             * @default false
             */
            secure: boolean;
            /** @default null */
            user: string | null;
            from: string;
            to: string[];
        };
        WebhookSettingsOutput: {
            /**
             * @description required for the format `email`
             * @default null
             */
            email: components["schemas"]["EmailSettingsOutput"] | null;
            /**
             * @description for the format `template`; with a JSON type, placeholders are escaped
             * @default application/json
             */
            contentType: string;
            /**
             * @description for the format `alertmanager`: added to every alert
             * @default {}
             */
            labels: {
                [key: string]: string;
            };
        };
        /** @description How many users a vantage stands for, in proportion: the weight of its region times that of its carrier, each from 0 to 1000, 1 where it is not named. What advice saves on average, and the impact of incidents, are weighted by it */
        AudienceOutput: {
            /** @default {} */
            regions: {
                [key: string]: number;
            };
            /** @default {} */
            carriers: {
                [key: string]: number;
            };
        };
    };
    responses: {
        /** @description Invalid request; `errors` names each field */
        Problem400: {
            headers: {
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description No valid key or session */
        Problem401: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Too many requests; `Retry-After` gives the wait in seconds */
        Problem429: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Internal server error */
        Problem500: {
            headers: {
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Service unavailable: the database cannot be reached, or the server is starting */
        Problem503: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The key’s scope is insufficient, or the request came from another site */
        Problem403: {
            headers: {
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request body did not arrive in time */
        Problem408: {
            headers: {
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Conflict with the current state, or the first request with this `Idempotency-Key` is under way */
        Problem409: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Request body too large */
        Problem413: {
            headers: {
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request body is not JSON */
        Problem415: {
            headers: {
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The `Idempotency-Key` was used with another body */
        Problem422: {
            headers: {
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Not found */
        Problem404: {
            headers: {
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description It has changed since it was read: `If-Match` names an earlier `ETag` */
        Problem412: {
            headers: {
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description names what was read: for `If-None-Match`, and for `If-Match` of a change */
        ETag: string;
        /** @description requests a minute that the caller has (of `/api/v1`) */
        RateLimitLimit: string;
        /** @description how many of them are left */
        RateLimitRemaining: string;
        /** @description seconds until all are there again */
        RateLimitReset: string;
        /** @description `Bearer` */
        WWWAuthenticate: string;
        /** @description seconds to wait before another try */
        RetryAfter: string;
        /** @description the path of what was made */
        Location: string;
        /** @description `true`: answered as the first request with this `Idempotency-Key` */
        IdempotencyReplayed: string;
        /** @description the name of the file */
        ContentDisposition: string;
        /** @description the cookie of the session, or its end */
        SetCookie: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listTargets: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `nextCursor` of the page before, of the same list */
                cursor?: string;
                /** @description only those of exactly this name */
                name?: string;
                tag?: components["schemas"]["Tag"];
                /** @description only these */
                ids?: string[];
            };
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of targets */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TargetPage"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    createTarget: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request with the same key, of the same API key or session, within 24 hours does nothing and is answered as the first that succeeded, with `Idempotency-Replayed: true`: 409 while that is under way, 422 with another body */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TargetCreate"];
            };
        };
        responses: {
            /** @description The target */
            201: {
                headers: {
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Target"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getTarget: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The target */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Target"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    deleteTarget: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content */
            204: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            412: components["responses"]["Problem412"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    updateTarget: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TargetPatch"];
            };
        };
        responses: {
            /** @description The updated target */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Target"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getTargetFigures: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `nextCursor` of the page before, of the same list */
                cursor?: string;
                /** @description only those of exactly this name */
                name?: string;
                tag?: components["schemas"]["Tag"];
                /** @description only these */
                ids?: string[];
                metric?: components["schemas"]["Metric"];
                stat?: components["schemas"]["Stat"];
                /** @description default: 24 hours before `to` */
                from?: string;
                /** @description default: now */
                to?: string;
                /** @description until now, in place of `from` and `to` */
                range?: "1h" | "6h" | "24h" | "7d" | "30d";
                groupBy?: "none" | "region" | "carrier";
            };
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of figures */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TargetFigures"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getStaples: {
        parameters: {
            query?: {
                /** @description default: 24 hours before `to` */
                from?: string;
                /** @description default: now */
                to?: string;
            };
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Hit ratios */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Staples"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getFailures: {
        parameters: {
            query?: {
                /** @description default: 24 hours before `to` */
                from?: string;
                /** @description default: now */
                to?: string;
            };
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Failures by kind */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TargetFailures"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getAdvice: {
        parameters: {
            query?: {
                /** @description default: 24 hours before `to` */
                from?: string;
                /** @description default: now */
                to?: string;
                country?: string;
                region?: string[];
                carrier?: string[];
                /** @description whose milliseconds `savesMs` are */
                client?: "browser" | "api";
                /** @description also what saves nothing on a visit that was measured: post-quantum groups, early data, HTTP/3, staples */
                notices?: "true" | "false";
                /** @description of titles, evidence, fixes and caveats */
                language?: "en" | "zh-CN";
            };
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Advice, the largest gain first */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdviceList"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listVantages: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `nextCursor` of the page before, of the same list */
                cursor?: string;
                /** @description only those of exactly this name */
                name?: string;
            };
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of vantages */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VantagePage"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getVantage: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The vantage */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Vantage"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    deleteVantage: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content */
            204: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            412: components["responses"]["Problem412"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    updateVantage: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VantagePatch"];
            };
        };
        responses: {
            /** @description The updated vantage */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Vantage"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    createEnrolment: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request with the same key, of the same API key or session, within 24 hours does nothing and is answered as the first that succeeded, with `Idempotency-Replayed: true`: 409 while that is under way, 422 with another body */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EnrolmentCreate"];
            };
        };
        responses: {
            /** @description The vantage, and the token, which is shown only here */
            201: {
                headers: {
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Enrolment"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    renewEnrolment: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request with the same key, of the same API key or session, within 24 hours does nothing and is answered as the first that succeeded, with `Idempotency-Replayed: true`: 409 while that is under way, 422 with another body */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EnrolmentRenew"];
            };
        };
        responses: {
            /** @description The vantage, and the token, which is shown only here */
            201: {
                headers: {
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Enrolment"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listResults: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `nextCursor` of the page before, of the same list */
                cursor?: string;
                /** @description only these */
                ids?: string[];
                target?: string;
                vantage?: string;
                country?: string;
                region?: string[];
                carrier?: string[];
                access?: components["schemas"]["AccessType"][];
                ok?: "true" | "false";
                /** @description which handshakes of the checks; statistics are based on `main` */
                variant?: "main" | "resumed" | "rsa" | "ecdsa" | "redirect" | "reuse" | "all";
                /** @description results that follow this `main` one */
                mainId?: string;
                from?: string;
                to?: string;
                /** @description ask `/api/v1/exports/` for other forms */
                format?: "json" | "csv" | "ndjson";
                /** @description ask `/api/v1/exports/` for other forms */
                bom?: "true" | "false";
            };
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of results */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResultPage"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getResult: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result, with `tls.wire` if stored */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResultAndFollowers"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    exportResults: {
        parameters: {
            query?: {
                /** @description only these */
                ids?: string[];
                target?: string;
                vantage?: string;
                country?: string;
                region?: string[];
                carrier?: string[];
                access?: components["schemas"]["AccessType"][];
                ok?: "true" | "false";
                /** @description which handshakes of the checks; statistics are based on `main` */
                variant?: "main" | "resumed" | "rsa" | "ecdsa" | "redirect" | "reuse" | "all";
                /** @description results that follow this `main` one */
                mainId?: string;
                from?: string;
                to?: string;
                format?: "csv" | "ndjson" | "parquet";
                /** @description CSV begins with a byte order mark, without which Excel takes its UTF-8 for another encoding */
                bom?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All matching results */
            200: {
                headers: {
                    "Content-Disposition": components["headers"]["ContentDisposition"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/x-ndjson": string;
                    "application/vnd.apache.parquet": string;
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getSeries: {
        parameters: {
            query: {
                target: string;
                metric?: components["schemas"]["Metric"];
                stat?: components["schemas"]["Stat"];
                /** @description which handshakes of the checks; those beside `main` are made where the settings of a target ask for them */
                variant?: "main" | "resumed" | "rsa" | "ecdsa" | "reuse";
                /** @description default: 24 hours before `to` */
                from?: string;
                /** @description default: now */
                to?: string;
                /** @description seconds; default: depends on the range, of which there are at most 2000 */
                step?: number;
                groupBy?: ("country" | "region" | "carrier" | "vantage")[];
                vantage?: string;
                country?: string;
                region?: string[];
                carrier?: string[];
                access?: components["schemas"]["AccessType"][];
            };
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One series per group */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Series"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getMatrix: {
        parameters: {
            query: {
                target: string;
                metric?: components["schemas"]["Metric"];
                stat?: components["schemas"]["Stat"];
                /** @description which handshakes of the checks; those beside `main` are made where the settings of a target ask for them */
                variant?: "main" | "resumed" | "rsa" | "ecdsa" | "reuse";
                from?: string;
                to?: string;
                /** @description with `compareTo` */
                compareFrom?: string;
                /** @description with `compareFrom` */
                compareTo?: string;
                vantage?: string;
                country?: string;
                region?: string[];
                carrier?: string[];
                access?: components["schemas"]["AccessType"][];
            };
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cells and margins */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Matrix"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listMeasurements: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `nextCursor` of the page before, of the same list */
                cursor?: string;
            };
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of measurements, without their answers */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MeasurementPage"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    createMeasurement: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request with the same key, of the same API key or session, within 24 hours does nothing and is answered as the first that succeeded, with `Idempotency-Replayed: true`: 409 while that is under way, 422 with another body */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MeasurementCreate"];
            };
        };
        responses: {
            /** @description The measurement, which has begun */
            202: {
                headers: {
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Measurement"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getMeasurement: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The measurement */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Measurement"];
                    "text/event-stream": string;
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    cancelMeasurement: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content */
            204: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            412: components["responses"]["Problem412"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    shareMeasurement: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request with the same key, of the same API key or session, within 24 hours does nothing and is answered as the first that succeeded, with `Idempotency-Replayed: true`: 409 while that is under way, 422 with another body */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MeasurementShare"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    unshareMeasurement: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content */
            204: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listRegressions: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `nextCursor` of the page before, of the same list */
                cursor?: string;
                /** @description incidents with a cell of this target */
                target?: string;
                region?: string[];
                carrier?: string[];
                state?: components["schemas"]["IncidentState"][];
                status?: components["schemas"]["IncidentStatus"][];
                /** @description incidents with this resolution */
                resolution?: components["schemas"]["IncidentResolution"][];
                /** @description onset at or after */
                from?: string;
                /** @description onset before */
                to?: string;
                kind?: ("regression" | "improvement")[];
                /** @description by milliseconds or by ratio */
                order?: "ms" | "ratio";
            };
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of incidents */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegressionPage"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listIncidents: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `nextCursor` of the page before, of the same list */
                cursor?: string;
                /** @description incidents with a cell of this target */
                target?: string;
                region?: string[];
                carrier?: string[];
                state?: components["schemas"]["IncidentState"][];
                status?: components["schemas"]["IncidentStatus"][];
                /** @description incidents with this resolution */
                resolution?: components["schemas"]["IncidentResolution"][];
                /** @description onset at or after */
                from?: string;
                /** @description onset before */
                to?: string;
                kind?: components["schemas"]["IncidentKind"][];
                severity?: components["schemas"]["Severity"][];
                /** @description `time`: the last opened first; `impact`: by severity, then by `impact.weightedMs`, the largest first */
                order?: "time" | "impact";
                /** @description whether a person called it not useful, as long as that holds */
                notUseful?: "true" | "false";
            };
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of incidents */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IncidentPage"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getIncident: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The incident */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IncidentDetail"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    updateIncident: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IncidentPatch"];
            };
        };
        responses: {
            /** @description The updated incident */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IncidentDetail"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listDetections: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `nextCursor` of the page before, of the same list */
                cursor?: string;
                target?: string;
                vantage?: string;
                region?: string[];
                carrier?: string[];
                kind?: components["schemas"]["DetectionKind"][];
                /** @description `false`: only those of no incident, which are too small to be shown; `true`: only the others */
                incident?: "true" | "false";
                /** @description onset at or after */
                from?: string;
                /** @description onset before */
                to?: string;
            };
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of detections */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetectionPage"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getEvents: {
        parameters: {
            query?: {
                /** @description which events; all where left out */
                types?: ("minute" | "incident")[];
                /** @description minutes that have results of this target, and incidents with a cell of it */
                target?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events, without an end */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listMarkers: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `nextCursor` of the page before, of the same list */
                cursor?: string;
                /** @description markers of this target and of all targets */
                target?: string;
                from?: string;
                to?: string;
            };
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of markers */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MarkerPage"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    createMarker: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request with the same key, of the same API key or session, within 24 hours does nothing and is answered as the first that succeeded, with `Idempotency-Replayed: true`: 409 while that is under way, 422 with another body */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MarkerCreate"];
            };
        };
        responses: {
            /** @description The marker */
            201: {
                headers: {
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Marker"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getMarker: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The marker */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Marker"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    deleteMarker: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content */
            204: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            412: components["responses"]["Problem412"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listComparisons: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `nextCursor` of the page before, of the same list */
                cursor?: string;
                target?: string;
                marker?: string;
                incident?: string;
                status?: "waiting" | "ready";
            };
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of comparisons */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ComparisonPage"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    createComparison: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request with the same key, of the same API key or session, within 24 hours does nothing and is answered as the first that succeeded, with `Idempotency-Replayed: true`: 409 while that is under way, 422 with another body */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ComparisonCreate"];
            };
        };
        responses: {
            /** @description The comparison */
            201: {
                headers: {
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comparison"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getComparison: {
        parameters: {
            query?: {
                /** @description ask `/api/v1/exports/` for other forms */
                format?: "json" | "csv";
                /** @description ask `/api/v1/exports/` for other forms */
                bom?: "true" | "false";
            };
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The comparison */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ComparisonDetail"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    deleteComparison: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content */
            204: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            412: components["responses"]["Problem412"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    exportComparison: {
        parameters: {
            query?: {
                format?: "csv";
                /** @description CSV begins with a byte order mark, without which Excel takes its UTF-8 for another encoding */
                bom?: "true" | "false";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The comparison */
            200: {
                headers: {
                    "Content-Disposition": components["headers"]["ContentDisposition"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    shareComparison: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request with the same key, of the same API key or session, within 24 hours does nothing and is answered as the first that succeeded, with `Idempotency-Replayed: true`: 409 while that is under way, 422 with another body */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ComparisonShare"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    unshareComparison: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content */
            204: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listAlertRules: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `nextCursor` of the page before, of the same list */
                cursor?: string;
                /** @description only those of exactly this name */
                name?: string;
            };
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of alert rules */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertRulePage"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    createAlertRule: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request with the same key, of the same API key or session, within 24 hours does nothing and is answered as the first that succeeded, with `Idempotency-Replayed: true`: 409 while that is under way, 422 with another body */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AlertRuleCreate"];
            };
        };
        responses: {
            /** @description The rule */
            201: {
                headers: {
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertRule"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    previewAlertRule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AlertRuleCreate"];
            };
        };
        responses: {
            /** @description The incidents the rule would have opened */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertRuleReplay"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getAlertRule: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rule */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertRule"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    deleteAlertRule: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content */
            204: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            412: components["responses"]["Problem412"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    updateAlertRule: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AlertRulePatch"];
            };
        };
        responses: {
            /** @description The updated rule */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertRule"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listSilences: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `nextCursor` of the page before, of the same list */
                cursor?: string;
            };
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of silences */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SilencePage"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    createSilence: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request with the same key, of the same API key or session, within 24 hours does nothing and is answered as the first that succeeded, with `Idempotency-Replayed: true`: 409 while that is under way, 422 with another body */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SilenceCreate"];
            };
        };
        responses: {
            /** @description The silence */
            201: {
                headers: {
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Silence"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getSilence: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The silence */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Silence"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    deleteSilence: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content */
            204: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            412: components["responses"]["Problem412"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    updateSilence: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SilencePatch"];
            };
        };
        responses: {
            /** @description The updated silence */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Silence"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `nextCursor` of the page before, of the same list */
                cursor?: string;
                /** @description only those of exactly this name */
                name?: string;
            };
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of webhooks */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookPage"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request with the same key, of the same API key or session, within 24 hours does nothing and is answered as the first that succeeded, with `Idempotency-Replayed: true`: 409 while that is under way, 422 with another body */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookCreate"];
            };
        };
        responses: {
            /** @description The webhook */
            201: {
                headers: {
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookCreated"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content */
            204: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            412: components["responses"]["Problem412"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookPatch"];
            };
        };
        responses: {
            /** @description The updated webhook */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request with the same key, of the same API key or session, within 24 hours does nothing and is answered as the first that succeeded, with `Idempotency-Replayed: true`: 409 while that is under way, 422 with another body */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SecretRotation"];
            };
        };
        responses: {
            /** @description The webhook, and the new secret, which is shown only here */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookCreated"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request with the same key, of the same API key or session, within 24 hours does nothing and is answered as the first that succeeded, with `Idempotency-Replayed: true`: 409 while that is under way, 422 with another body */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pending delivery */
            201: {
                headers: {
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    previewWebhook: {
        parameters: {
            query?: {
                event?: components["schemas"]["WebhookEventType"];
            };
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request as it would be sent */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookPreview"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    previewWebhookDraft: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookDraft"];
            };
        };
        responses: {
            /** @description The request as it would be sent */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookPreview"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `nextCursor` of the page before, of the same list */
                cursor?: string;
                status?: components["schemas"]["DeliveryStatus"];
            };
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryPage"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery with its log */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryDetail"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    replayDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pending delivery */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listStatusPages: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `nextCursor` of the page before, of the same list */
                cursor?: string;
            };
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of status pages, without their links */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusPagePage"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    createStatusPage: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request with the same key, of the same API key or session, within 24 hours does nothing and is answered as the first that succeeded, with `Idempotency-Replayed: true`: 409 while that is under way, 422 with another body */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StatusPageCreate"];
            };
        };
        responses: {
            /** @description The page with its link, which is shown only here */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusPageCreated"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    deleteStatusPage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content */
            204: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listKeys: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `nextCursor` of the page before, of the same list */
                cursor?: string;
            };
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of keys, without the secrets */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyPage"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request with the same key, of the same API key or session, within 24 hours does nothing and is answered as the first that succeeded, with `Idempotency-Replayed: true`: 409 while that is under way, 422 with another body */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyCreate"];
            };
        };
        responses: {
            /** @description The key, which is shown only here */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyCreated"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    deleteKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content */
            204: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the caller may do */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    createSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionCreate"];
            };
        };
        responses: {
            /** @description Signed in */
            200: {
                headers: {
                    "Set-Cookie": components["headers"]["SetCookie"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    deleteSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content */
            204: {
                headers: {
                    "Set-Cookie": components["headers"]["SetCookie"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            412: components["responses"]["Problem412"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sessions, at most 500 */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActiveSessions"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    deleteSessions: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content */
            204: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            412: components["responses"]["Problem412"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordChange"];
            };
        };
        responses: {
            /** @description Changed; no content */
            204: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getDemo: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state of the demo */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DemoState"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    deleteDemo: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content */
            204: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            412: components["responses"]["Problem412"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getRetention: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every class of data */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Retention"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    updateRetention: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RetentionPatch"];
            };
        };
        responses: {
            /** @description Every class of data */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Retention"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getAudience: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The weights */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AudienceOutput"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    resetAudience: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The weights */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AudienceOutput"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            412: components["responses"]["Problem412"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    updateAudience: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Audience"];
            };
        };
        responses: {
            /** @description The weights */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AudienceOutput"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OpenAPI 3.1 */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        openapi: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    enrolProber: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EnrolRequest"];
            };
        };
        responses: {
            /** @description Enrolled; a credential created by the server is shown only here */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnrolResponse"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getAssignments: {
        parameters: {
            query?: {
                since?: string;
            };
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description New, changed and removed checks */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Assignments"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    ingestResults: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IngestBatch"];
            };
        };
        responses: {
            /** @description The outcome of each result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IngestReport"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getTasks: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Tasks, and measurements that were cancelled */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MeasurementTasks"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    submitAnswers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MeasurementAnswers"];
            };
        };
        responses: {
            /** @description The outcome */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MeasurementReport"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It serves requests */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getReady: {
        parameters: {
            query?: {
                /** @description `web`: ready is what serves pages and takes results in; jobs that are not up are in `degraded` */
                part?: "web";
            };
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ready */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getProbeMetrics: {
        parameters: {
            query?: {
                /** @description the id or the name of a target */
                target?: string;
                /** @description tags, with commas between them: targets with one of them */
                tag?: components["schemas"]["Tag"][];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getConfiguration: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfigurationExport"];
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    putConfiguration: {
        parameters: {
            query?: {
                /** @description only says what would be done */
                dryRun?: "true" | "false";
                /** @description deletes what is not in the document, of the kinds that are in it; never the demo */
                prune?: "true" | "false";
            };
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Configuration"];
            };
        };
        responses: {
            /** @description What was done, or with `dryRun` would be */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfigurationPlan"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getConfigurationSchema: {
        parameters: {
            query?: never;
            header?: {
                /** @description an `ETag`, or several with commas between */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description JSON Schema, draft 7 */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        $schema: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Nothing changed since the `ETag` of `If-None-Match` */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
}
