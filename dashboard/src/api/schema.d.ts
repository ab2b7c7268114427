// Written by npm run generate.
export interface paths {
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read whether the process runs
         * @description The process runs.
         */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read whether work is accepted now
         * @description The default provider and the state database are ready.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/images": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate or edit images
         * @description The images, each verified to its last byte and pixel.
         */
        post: operations["createImage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/images/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate or edit images with progress events
         * @description Events from `started` to `completed` or `error`. A refusal before the start is a plain error reply. Closing the connection cancels the work, but for work under a key.
         */
        post: operations["streamImage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Plan images without making them
         * @description One row a route, in the order in which they are tried. Nothing is decoded, called or stored, and an idempotency key has no effect. What is known without the pixels of an image and without asking a provider is the same as in the reply to the request itself.
         */
        post: operations["planImage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/images/generations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate images (OpenAI-compatible)
         * @description The images; where `stream` is on, events: the unfinished ones, one `completed` an image, or an `error`.
         */
        post: operations["createImageGeneration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/images/edits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Edit images (OpenAI-compatible)
         * @description The images; where `stream` is on, events: the unfinished ones, one `completed` an image, or an `error`.
         */
        post: operations["createImageEdit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the models (OpenAI-compatible)
         * @description All models and their aliases.
         */
        get: operations["listModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one model
         * @description The model.
         */
        get: operations["getModel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List and search jobs
         * @description One page of jobs.
         */
        get: operations["listJobs"];
        put?: never;
        /**
         * Queue a request as a durable job
         * @description The job. It survives restarts.
         */
        post: operations["createJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow all jobs as they change
         * @description First an id without an event, then the active jobs, then every job that changes, each as it is when it is sent. A reader that sends the last id back as `Last-Event-ID` gets the jobs that have changed since, also after a restart of the bridge. A slow reader gets each job once, as it is by then.
         */
        get: operations["streamJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a job, or wait for it
         * @description The job as it is.
         */
        get: operations["getJob"];
        put?: never;
        post?: never;
        /**
         * Cancel a job
         * @description The job as it then is.
         */
        delete: operations["cancelJob"];
        options?: never;
        head?: never;
        /**
         * Mark, hide or restore a job
         * @description The job as it then is.
         */
        patch: operations["updateJob"];
        trace?: never;
    };
    "/v1/jobs/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Queue a new job of one that failed, was cancelled or was interrupted
         * @description The new job. Its images are those of the earlier one.
         */
        post: operations["retryJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}/partial": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the latest partial image of a running job
         * @description The latest partial image, verified.
         */
        get: operations["getJobPartial"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}/inputs/{index}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download an input image of a job
         * @description The verified bytes of the image, as they were sent.
         */
        get: operations["getJobInput"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}/inputs/{index}/thumbnail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a thumbnail of an input image of a job
         * @description A verified PNG, turned as its image is meant to be seen, in sRGB, with its alpha.
         */
        get: operations["getJobInputThumbnail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow a job to its end
         * @description Events from `snapshot` to `ended`. Every connection begins with the job as it is, so `Last-Event-ID` is not needed. A slow reader gets the latest progress of each output, not every step.
         */
        get: operations["streamJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the queue
         * @description The queue of the jobs of all tokens.
         */
        get: operations["getQueue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Pause or resume the queue
         * @description The queue as it then is.
         */
        patch: operations["updateQueue"];
        trace?: never;
    };
    "/v1/queue/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the jobs of all tokens that wait or run
         * @description One page of queued and running jobs, the first accepted first.
         */
        get: operations["listQueueJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/queue/jobs/{id}": {
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
         * Cancel a job of any token
         * @description The job as it then is.
         */
        delete: operations["cancelQueueJob"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the providers
         * @description One page of providers.
         */
        get: operations["listProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/providers/{name}/capabilities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what a model can do
         * @description The capability document.
         */
        get: operations["getProviderCapabilities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/presets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the presets
         * @description One page of presets.
         */
        get: operations["listPresets"];
        put?: never;
        /**
         * Create a preset
         * @description The stored preset.
         */
        post: operations["createPreset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/presets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a preset
         * @description The stored preset.
         */
        get: operations["getPreset"];
        /**
         * Replace a preset
         * @description The stored preset.
         */
        put: operations["replacePreset"];
        post?: never;
        /**
         * Delete a preset
         * @description The preset is deleted.
         */
        delete: operations["deletePreset"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the thread of a session
         * @description The key and its thread.
         */
        get: operations["getSession"];
        put?: never;
        post?: never;
        /**
         * Delete a session and its thread
         * @description The session and its thread are deleted.
         */
        delete: operations["deleteSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the usage and the allowance of the token
         * @description The usage of the token.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/artifacts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download an artifact
         * @description The verified bytes of the image.
         */
        get: operations["getArtifact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/artifacts/{id}/thumbnail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a thumbnail of an artifact
         * @description A verified PNG, turned as its image is meant to be seen, in sRGB, with its alpha.
         */
        get: operations["getArtifactThumbnail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/diagnostics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what the bridge is doing
         * @description Facts and counts, never content.
         */
        get: operations["getDiagnostics"];
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
         * Scrape the metrics
         * @description The metrics in the text format of Prometheus.
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
    "/mcp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Listen to a session of the Model Context Protocol
         * @description A stream of messages. Clients of the revision 2026-07-28 do not use it.
         */
        get: operations["openMcpStream"];
        put?: never;
        /**
         * Send a message of the Model Context Protocol
         * @description The reply of the protocol (Streamable HTTP): a message, or a stream of them. Failures of the protocol have its own shape; a tool that fails says so in its result.
         */
        post: operations["callMcp"];
        /**
         * End a session of the Model Context Protocol
         * @description It has ended.
         */
        delete: operations["endMcpSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dashboard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open the dashboard
         * @description The page. It holds no prompts, images or tokens.
         */
        get: operations["getDashboard"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dashboard/assets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a file of the dashboard
         * @description A script, a style sheet or an image of the page.
         */
        get: operations["getDashboardAsset"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dashboard/{view}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open a view of the dashboard
         * @description The page, whatever the view.
         */
        get: operations["getDashboardView"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read this contract
         * @description The OpenAPI 3.1 document.
         */
        get: operations["getApiDocument"];
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
    jobEnded: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A job has ended
         * @description Sent to the `webhook` of the job, or to server.webhooks.default_url, while server.webhooks.enabled is on: at least once, in no promised order. The Standard Webhooks libraries verify it.
         */
        post: operations["jobEnded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        ImageRequest: {
            /** @description Default: `1`. */
            version?: "1" | null;
            /** @description What to draw; with negative_prompt at most 12288 bytes of UTF-8. */
            prompt: string;
            /** @description The images to edit: at least one for an edit, none for a generation. */
            images?: components["schemas"]["ImageInput"][] | null;
            /** @description For an edit: an image with alpha, as large as the first one. Alpha 0 may change, 255 must not. */
            mask?: components["schemas"]["ImageInput"] | null;
            /** @description Images to go by. */
            reference_images?: components["schemas"]["ImageInput"][] | null;
            /** @description The same as the header Idempotency-Key; an equal request under it is done once. */
            idempotency_key?: string | null;
            /**
             * @description Default: `generate`.
             * @enum {string|null}
             */
            operation?: "generate" | "edit" | null;
            /** @description What to avoid; with the prompt at most 12288 bytes of UTF-8. */
            negative_prompt?: string | null;
            parameters?: components["schemas"]["ImageRequestParameters"] | null;
            output?: components["schemas"]["ImageOutput"] | null;
            routing?: components["schemas"]["ImageRouting"] | null;
            session?: components["schemas"]["ImageSession"] | null;
            policies?: components["schemas"]["ImagePolicies"] | null;
            /** @description The deadline of the whole operation, in milliseconds. */
            timeout_ms?: number | null;
            /** @description Who this is for, in a word of yours. */
            user?: string | null;
            /** @description Kept with the job and the metadata record, never sent to a provider. */
            metadata?: {
                [key: string]: string;
            } | null;
        };
        ImageInput: {
            /** @constant */
            type: "data_url";
            /** @description data:image/png;base64, and the bytes; also jpeg and webp. */
            data_url: string;
            /** @description Shown to people, used for nothing else. */
            filename?: string | null;
            /** @description Compared with the bytes: another content than declared is refused. */
            media_type?: string | null;
        } | {
            /** @constant */
            type: "base64";
            /** @description RFC 4648 section 4: padded, without white space. */
            data: string;
            /** @description Shown to people, used for nothing else. */
            filename?: string | null;
            /** @description Compared with the bytes: another content than declared is refused. */
            media_type?: string | null;
        } | {
            /** @constant */
            type: "artifact";
            /** @description An image that this bridge has made for the same token. */
            artifact_id: string;
            /** @description Shown to people, used for nothing else. */
            filename?: string | null;
            /** @description Compared with the bytes: another content than declared is refused. */
            media_type?: string | null;
        } | {
            /** @constant */
            type: "url";
            /** @description https only, and only while inputs.remote.enabled is on. */
            url: string;
            /** @description Shown to people, used for nothing else. */
            filename?: string | null;
            /** @description Compared with the bytes: another content than declared is refused. */
            media_type?: string | null;
        };
        ImageRequestParameters: {
            /** @description How many images to make. Default: `1`. */
            n?: number | null;
            /** @description Width and height in pixels, such as 1536x1024. Default: `auto`. */
            size?: string | null;
            /** @description A shape such as 16:9, in place of a size. */
            aspect_ratio?: string | null;
            /** @description An order of magnitude, in place of a size. */
            resolution?: ("1k" | "2k" | "4k") | null;
            /**
             * @description xhigh and max only where a capability document lists them. Default: `auto`.
             * @enum {string|null}
             */
            quality?: "auto" | "low" | "medium" | "high" | "xhigh" | "max" | null;
            /**
             * @description Left out, it is png.
             * @enum {string|null}
             */
            output_format?: "png" | "jpeg" | "webp" | null;
            /** @description The quality of the encoding, for jpeg and webp only. */
            output_compression?: number | null;
            /**
             * @description Transparency is cut out by the bridge where a provider lacks it. Default: `auto`.
             * @enum {string|null}
             */
            background?: "auto" | "opaque" | "transparent" | null;
            /**
             * @description Default: `auto`.
             * @enum {string|null}
             */
            moderation?: "auto" | "low" | null;
            /** @description How many unfinished images to show on the way. Default: `0`. */
            partial_images?: number | null;
            /**
             * @description best_effort returns the images that succeeded and lists the failures. Default: `fail_fast`.
             * @enum {string|null}
             */
            failure_policy?: "fail_fast" | "best_effort" | null;
            /**
             * @description What the model is asked to do; auto follows the operation. Default: `auto`.
             * @enum {string|null}
             */
            action?: "auto" | "generate" | "edit" | null;
            /** @description How closely to follow the given images. */
            input_fidelity?: ("low" | "high") | null;
        };
        ImageOutput: {
            /**
             * @description How images are delivered; metadata verifies and describes them, and keeps no bytes. Jobs always use artifact. Default: `b64_json`.
             * @enum {string|null}
             */
            response_format?: "b64_json" | "artifact" | "url" | "metadata" | null;
            /** @description Below the artifact root, with a named token below the folder of its owner: up to 512 bytes of portable names. For artifact and url delivery. */
            directory?: string | null;
            /** @description For one image; the extension may be left out. For artifact and url delivery. */
            filename?: string | null;
            /** @description In place of a filename. For artifact and url delivery. */
            filename_prefix?: string | null;
            /**
             * @description What to do when the filename is taken: suffix tries -2, -3 and so on. Default: `error`.
             * @enum {string|null}
             */
            collision?: "error" | "suffix" | null;
            /**
             * @description Where to write an ImageMetadataRecord: beside the image (artifact delivery only), inside it, or both. Default: `none`.
             * @enum {string|null}
             */
            metadata?: "none" | "sidecar" | "embedded" | "sidecar_and_embedded" | null;
            transparency?: components["schemas"]["ImageTransparency"] | null;
        };
        ImageTransparency: {
            /**
             * @description auto takes the alpha of the provider where it has one, else cuts a flat background out. Default: `auto`.
             * @enum {string|null}
             */
            mode?: "auto" | "native" | "chroma_key" | null;
            /** @description The background to ask for and to cut out; left out, the bridge chooses. */
            key_color?: string | null;
            /** @description Up to this distance from the key colour a pixel becomes clear; below opaque_threshold. Default: `12`. */
            transparent_threshold?: number | null;
            /** @description From this distance on a pixel stays opaque. Default: `96`. */
            opaque_threshold?: number | null;
            /** @description Takes the key colour out of the edges of the subject. Default: `true`. */
            despill?: boolean | null;
        };
        ImageRouting: {
            /** @description A name that GET /v1/providers lists. */
            provider?: string | null;
            /** @description Without a provider it goes to the default one, else to the first by name that lists it. */
            model?: string | null;
            /** @description Where to go next, in order. For isolated sessions only. */
            fallbacks?: components["schemas"]["ImageRoute"][] | null;
            /**
             * @description on_error also falls back after a failure whose outcome is known. Default: `on_unavailable`.
             * @enum {string|null}
             */
            fallback_policy?: "on_unavailable" | "on_error" | null;
        };
        ImageRoute: {
            provider: string;
            model?: string | null;
        };
        ImageSession: {
            /**
             * @description Whether the provider remembers: not at all, under a key of yours, or in a thread that it named. Default: `isolated`.
             * @enum {string|null}
             */
            mode?: "isolated" | "persistent" | "thread" | null;
            /** @description With persistent, and only there. */
            key?: string | null;
            /** @description With thread, and only there. */
            thread_id?: string | null;
        };
        ImagePolicies: {
            /**
             * @description What a provider cannot do is refused, changed to the nearest thing, or also dropped; every change is reported. Default: `strict`.
             * @enum {string|null}
             */
            compatibility?: "strict" | "normalize" | "best_effort" | null;
            /**
             * @description Whether it goes to the provider on its own or as a part of the prompt. Default: `auto`.
             * @enum {string|null}
             */
            negative_prompt?: "auto" | "native" | "merge" | "reject" | null;
            /**
             * @description What to do with the prompt as the provider rewrote it. Default: `include`.
             * @enum {string|null}
             */
            revised_prompt?: "include" | "omit" | "require" | null;
            /**
             * @description How the calls for several images run; parallel needs an isolated session. Default: `auto`.
             * @enum {string|null}
             */
            batch_execution?: "auto" | "sequential" | "parallel" | null;
        };
        ImageJobCreate: {
            /** @description Default: `1`. */
            version?: "1" | null;
            /** @description What to draw; with negative_prompt at most 12288 bytes of UTF-8. */
            prompt: string;
            /** @description The images to edit: at least one for an edit, none for a generation. */
            images?: components["schemas"]["ImageInput"][] | null;
            /** @description For an edit: an image with alpha, as large as the first one. Alpha 0 may change, 255 must not. */
            mask?: components["schemas"]["ImageInput"] | null;
            /** @description Images to go by. */
            reference_images?: components["schemas"]["ImageInput"][] | null;
            /** @description The same as the header Idempotency-Key; an equal request under it is done once. */
            idempotency_key?: string | null;
            /**
             * @description Default: `generate`.
             * @enum {string|null}
             */
            operation?: "generate" | "edit" | null;
            /** @description What to avoid; with the prompt at most 12288 bytes of UTF-8. */
            negative_prompt?: string | null;
            parameters?: components["schemas"]["ImageRequestParameters"] | null;
            output?: components["schemas"]["ImageOutput"] | null;
            routing?: components["schemas"]["ImageRouting"] | null;
            session?: components["schemas"]["ImageSession"] | null;
            policies?: components["schemas"]["ImagePolicies"] | null;
            /** @description The deadline of the whole operation, in milliseconds. */
            timeout_ms?: number | null;
            /** @description Who this is for, in a word of yours. */
            user?: string | null;
            /** @description Kept with the job and the metadata record, never sent to a provider. */
            metadata?: {
                [key: string]: string;
            } | null;
            /** @description Orders the queued jobs of the caller: the highest priority first, then in the order of acceptance. Tokens take turns, whatever their jobs' priorities are. Default: `0`. */
            priority?: number | null;
            /** @description Where the end of the job is sent, while server.webhooks.enabled is on. */
            webhook?: components["schemas"]["ImageJobWebhook"] | null;
        };
        ImageJobPatch: {
            favorite?: boolean | null;
            /** @description Hides a job that has ended, or restores it. */
            deleted?: boolean | null;
        };
        ImageJobWebhook: {
            /** @description https, or http on loopback, on a host of server.webhooks.allowed_hosts. */
            url: string;
            /** @description The ends that are sent: all of them when left out. */
            events?: ("succeeded" | "failed" | "cancelled" | "interrupted")[] | null;
        };
        ImageQueuePatch: {
            /** @description Pauses the queue or resumes it. It stays so after a restart. */
            paused: boolean;
        };
        ImagePresetTemplate: {
            /**
             * @description Default: `generate`.
             * @enum {string|null}
             */
            operation?: "generate" | "edit" | null;
            /** @description What to avoid; with the prompt at most 12288 bytes of UTF-8. */
            negative_prompt?: string | null;
            parameters?: components["schemas"]["ImageRequestParameters"] | null;
            output?: components["schemas"]["ImageOutput"] | null;
            routing?: components["schemas"]["ImageRouting"] | null;
            session?: components["schemas"]["ImageSession"] | null;
            policies?: components["schemas"]["ImagePolicies"] | null;
            /** @description The deadline of the whole operation, in milliseconds. */
            timeout_ms?: number | null;
            /** @description Who this is for, in a word of yours. */
            user?: string | null;
            /** @description Kept with the job and the metadata record, never sent to a provider. */
            metadata?: {
                [key: string]: string;
            } | null;
            /** @description May be left out and given when the preset is used. */
            prompt?: string | null;
        };
        ImagePresetCreate: {
            name: string;
            description?: string | null;
            template: components["schemas"]["ImagePresetTemplate"];
        };
        ImagePresetReplace: {
            description?: string | null;
            template: components["schemas"]["ImagePresetTemplate"];
        };
        ImagePlanBody: components["schemas"]["ImagePlanRequest"] | components["schemas"]["OpenAiPlanRequest"];
        ImagePlanRequest: {
            /** @description Default: `1`. */
            version?: "1" | null;
            /** @description What to draw; with negative_prompt at most 12288 bytes of UTF-8. */
            prompt: string;
            /** @description The images to edit: at least one for an edit, none for a generation. */
            images?: components["schemas"]["ImagePlanInput"][] | null;
            /** @description For an edit: an image with alpha, as large as the first one. Alpha 0 may change, 255 must not. */
            mask?: components["schemas"]["ImagePlanInput"] | null;
            /** @description Images to go by. */
            reference_images?: components["schemas"]["ImagePlanInput"][] | null;
            /** @description The same as the header Idempotency-Key; an equal request under it is done once. */
            idempotency_key?: string | null;
            /**
             * @description Default: `generate`.
             * @enum {string|null}
             */
            operation?: "generate" | "edit" | null;
            /** @description What to avoid; with the prompt at most 12288 bytes of UTF-8. */
            negative_prompt?: string | null;
            parameters?: components["schemas"]["ImageRequestParameters"] | null;
            output?: components["schemas"]["ImageOutput"] | null;
            routing?: components["schemas"]["ImageRouting"] | null;
            session?: components["schemas"]["ImageSession"] | null;
            policies?: components["schemas"]["ImagePolicies"] | null;
            /** @description The deadline of the whole operation, in milliseconds. */
            timeout_ms?: number | null;
            /** @description Who this is for, in a word of yours. */
            user?: string | null;
            /** @description Kept with the job and the metadata record, never sent to a provider. */
            metadata?: {
                [key: string]: string;
            } | null;
        };
        ImagePlanInput: components["schemas"]["ImageInput"] | components["schemas"]["DescribedImage"];
        DescribedImage: {
            /** @constant */
            type: "described";
            /** @enum {string} */
            format: "png" | "jpeg" | "webp";
            /** @description In pixels, as it is seen: rotated by its EXIF orientation. */
            width: number;
            /** @description In pixels, as it is seen: rotated by its EXIF orientation. */
            height: number;
            /** @description The length of the encoded image. */
            bytes: number;
        };
        OpenAiImageGeneration: {
            /** @description What to draw. */
            prompt: string;
            /** @description A name that GET /v1/models lists, or provider/model. */
            model?: string | null;
            size?: string | null;
            /**
             * @description standard means medium, hd means high.
             * @enum {string|null}
             */
            quality?: "auto" | "low" | "medium" | "high" | "xhigh" | "max" | "standard" | "hd" | null;
            /** @enum {string|null} */
            output_format?: "png" | "jpeg" | "webp" | null;
            /** @enum {string|null} */
            background?: "auto" | "opaque" | "transparent" | null;
            /** @enum {string|null} */
            moderation?: "auto" | "low" | null;
            /**
             * @description Left out, it is b64_json; a stream always carries b64_json.
             * @enum {string|null}
             */
            response_format?: "b64_json" | "url" | null;
            user?: string | null;
            /** @description Wins over user unless it is empty. */
            safety_identifier?: string | null;
            /** @enum {string|null} */
            input_fidelity?: "low" | "high" | null;
            markup?: unknown | null;
            n?: number | null;
            output_compression?: number | null;
            partial_images?: number | null;
            /** @description Replies with a stream of events. */
            stream?: boolean | null;
            bridge_ext?: components["schemas"]["OpenAiBridgeExt"] | null;
            style?: unknown;
            complexity?: unknown;
            frame_count?: unknown;
            mask?: unknown | null;
        };
        OpenAiImageEdit: {
            /** @description What to draw. */
            prompt: string;
            /** @description A name that GET /v1/models lists, or provider/model. */
            model?: string | null;
            size?: string | null;
            /**
             * @description standard means medium, hd means high.
             * @enum {string|null}
             */
            quality?: "auto" | "low" | "medium" | "high" | "xhigh" | "max" | "standard" | "hd" | null;
            /** @enum {string|null} */
            output_format?: "png" | "jpeg" | "webp" | null;
            /** @enum {string|null} */
            background?: "auto" | "opaque" | "transparent" | null;
            /** @enum {string|null} */
            moderation?: "auto" | "low" | null;
            /**
             * @description Left out, it is b64_json; a stream always carries b64_json.
             * @enum {string|null}
             */
            response_format?: "b64_json" | "url" | null;
            user?: string | null;
            /** @description Wins over user unless it is empty. */
            safety_identifier?: string | null;
            /** @enum {string|null} */
            input_fidelity?: "low" | "high" | null;
            markup?: unknown | null;
            n?: number | null;
            output_compression?: number | null;
            partial_images?: number | null;
            /** @description Replies with a stream of events. */
            stream?: boolean | null;
            bridge_ext?: components["schemas"]["OpenAiBridgeExt"] | null;
            style?: unknown;
            complexity?: unknown;
            frame_count?: unknown;
            provider?: string | null;
            negative_prompt?: string | null;
            /**
             * @description Left out, it is normalize here.
             * @enum {string|null}
             */
            compatibility?: "strict" | "normalize" | "best_effort" | null;
            /** @enum {string|null} */
            revised_prompt?: "include" | "omit" | "require" | null;
            session_key?: string | null;
            images: {
                /** @description A data URL. */
                image_url: string;
            }[];
            mask?: {
                /** @description A data URL. */
                image_url: string;
            } | null;
        };
        OpenAiImageEditForm: {
            /** @description The images to edit, in order; at least one. */
            image?: string[];
            /** @description The same under the name that some clients use. */
            "image[]"?: string[];
            /**
             * Format: binary
             * @description An image with alpha, as large as the first one.
             */
            mask?: string;
            /** @description Images to go by. */
            reference_image?: string[];
            /** @description The same under the name that some clients use. */
            "reference_image[]"?: string[];
            /** @description What to draw. */
            prompt: string;
            /** @description A name that GET /v1/models lists, or provider/model. */
            model?: string;
            size?: string;
            /**
             * @description standard means medium, hd means high.
             * @enum {string}
             */
            quality?: "auto" | "low" | "medium" | "high" | "xhigh" | "max" | "standard" | "hd";
            /** @enum {string} */
            output_format?: "png" | "jpeg" | "webp";
            /** @enum {string} */
            background?: "auto" | "opaque" | "transparent";
            /** @enum {string} */
            moderation?: "auto" | "low";
            /**
             * @description Left out, it is b64_json; a stream always carries b64_json.
             * @enum {string}
             */
            response_format?: "b64_json" | "url";
            user?: string;
            /** @description Wins over user unless it is empty. */
            safety_identifier?: string;
            /** @enum {string} */
            input_fidelity?: "low" | "high";
            markup?: unknown;
            provider?: string | null;
            negative_prompt?: string;
            /**
             * @description Left out, it is normalize here.
             * @enum {string}
             */
            compatibility?: "strict" | "normalize" | "best_effort";
            /** @enum {string} */
            revised_prompt?: "include" | "omit" | "require";
            session_key?: string;
            n?: number;
            output_compression?: number;
            partial_images?: number;
            /** @description Replies with a stream of events. */
            stream?: boolean;
            /** @description One text part that holds the JSON of a BridgeExt. */
            bridge_ext?: string;
            style?: string;
            complexity?: string;
            frame_count?: string;
        };
        OpenAiBridgeExt: {
            provider?: string | null;
            negative_prompt?: string | null;
            /** @enum {string|null} */
            negative_prompt_mode?: "auto" | "native" | "merge" | "reject" | null;
            /**
             * @description Left out, it is normalize here.
             * @enum {string|null}
             */
            compatibility?: "strict" | "normalize" | "best_effort" | null;
            /** @enum {string|null} */
            revised_prompt?: "include" | "omit" | "require" | null;
            aspect_ratio?: string | null;
            resolution?: ("1k" | "2k" | "4k") | null;
            input_fidelity?: ("low" | "high") | null;
            /** @enum {string|null} */
            action?: "auto" | "generate" | "edit" | null;
            session?: components["schemas"]["ImageSession"] | null;
            reference_images?: components["schemas"]["ImageInput"][] | null;
            filename_prefix?: string | null;
            /** @description Where to go next, in order. */
            fallbacks?: components["schemas"]["ImageRoute"][] | null;
            /** @enum {string|null} */
            fallback_policy?: "on_unavailable" | "on_error" | null;
            /** @description The deadline of the whole operation, in milliseconds. */
            timeout_ms?: number | null;
            metadata?: {
                [key: string]: string;
            } | null;
        };
        OpenAiPlanRequest: {
            /** @description What POST /v1/images/generations or /v1/images/edits takes as JSON, and which of the two. */
            openai: components["schemas"]["OpenAiGenerationPlan"] | components["schemas"]["OpenAiEditPlan"];
        };
        OpenAiGenerationPlan: {
            /** @constant */
            operation: "generate";
            /** @description What to draw. */
            prompt: string;
            /** @description A name that GET /v1/models lists, or provider/model. */
            model?: string | null;
            size?: string | null;
            /**
             * @description standard means medium, hd means high.
             * @enum {string|null}
             */
            quality?: "auto" | "low" | "medium" | "high" | "xhigh" | "max" | "standard" | "hd" | null;
            /** @enum {string|null} */
            output_format?: "png" | "jpeg" | "webp" | null;
            /** @enum {string|null} */
            background?: "auto" | "opaque" | "transparent" | null;
            /** @enum {string|null} */
            moderation?: "auto" | "low" | null;
            /**
             * @description Left out, it is b64_json; a stream always carries b64_json.
             * @enum {string|null}
             */
            response_format?: "b64_json" | "url" | null;
            user?: string | null;
            /** @description Wins over user unless it is empty. */
            safety_identifier?: string | null;
            /** @enum {string|null} */
            input_fidelity?: "low" | "high" | null;
            markup?: unknown | null;
            n?: number | null;
            output_compression?: number | null;
            partial_images?: number | null;
            /** @description Replies with a stream of events. */
            stream?: boolean | null;
            bridge_ext?: {
                provider?: string | null;
                negative_prompt?: string | null;
                /** @enum {string|null} */
                negative_prompt_mode?: "auto" | "native" | "merge" | "reject" | null;
                /**
                 * @description Left out, it is normalize here.
                 * @enum {string|null}
                 */
                compatibility?: "strict" | "normalize" | "best_effort" | null;
                /** @enum {string|null} */
                revised_prompt?: "include" | "omit" | "require" | null;
                aspect_ratio?: string | null;
                resolution?: ("1k" | "2k" | "4k") | null;
                input_fidelity?: ("low" | "high") | null;
                /** @enum {string|null} */
                action?: "auto" | "generate" | "edit" | null;
                session?: components["schemas"]["ImageSession"] | null;
                reference_images?: components["schemas"]["ImagePlanInput"][] | null;
                filename_prefix?: string | null;
                /** @description Where to go next, in order. */
                fallbacks?: components["schemas"]["ImageRoute"][] | null;
                /** @enum {string|null} */
                fallback_policy?: "on_unavailable" | "on_error" | null;
                /** @description The deadline of the whole operation, in milliseconds. */
                timeout_ms?: number | null;
                metadata?: {
                    [key: string]: string;
                } | null;
            } | null;
            style?: unknown;
            complexity?: unknown;
            frame_count?: unknown;
            mask?: unknown | null;
        };
        OpenAiEditPlan: {
            /** @constant */
            operation: "edit";
            /** @description What to draw. */
            prompt: string;
            /** @description A name that GET /v1/models lists, or provider/model. */
            model?: string | null;
            size?: string | null;
            /**
             * @description standard means medium, hd means high.
             * @enum {string|null}
             */
            quality?: "auto" | "low" | "medium" | "high" | "xhigh" | "max" | "standard" | "hd" | null;
            /** @enum {string|null} */
            output_format?: "png" | "jpeg" | "webp" | null;
            /** @enum {string|null} */
            background?: "auto" | "opaque" | "transparent" | null;
            /** @enum {string|null} */
            moderation?: "auto" | "low" | null;
            /**
             * @description Left out, it is b64_json; a stream always carries b64_json.
             * @enum {string|null}
             */
            response_format?: "b64_json" | "url" | null;
            user?: string | null;
            /** @description Wins over user unless it is empty. */
            safety_identifier?: string | null;
            /** @enum {string|null} */
            input_fidelity?: "low" | "high" | null;
            markup?: unknown | null;
            n?: number | null;
            output_compression?: number | null;
            partial_images?: number | null;
            /** @description Replies with a stream of events. */
            stream?: boolean | null;
            bridge_ext?: {
                provider?: string | null;
                negative_prompt?: string | null;
                /** @enum {string|null} */
                negative_prompt_mode?: "auto" | "native" | "merge" | "reject" | null;
                /**
                 * @description Left out, it is normalize here.
                 * @enum {string|null}
                 */
                compatibility?: "strict" | "normalize" | "best_effort" | null;
                /** @enum {string|null} */
                revised_prompt?: "include" | "omit" | "require" | null;
                aspect_ratio?: string | null;
                resolution?: ("1k" | "2k" | "4k") | null;
                input_fidelity?: ("low" | "high") | null;
                /** @enum {string|null} */
                action?: "auto" | "generate" | "edit" | null;
                session?: components["schemas"]["ImageSession"] | null;
                reference_images?: components["schemas"]["ImagePlanInput"][] | null;
                filename_prefix?: string | null;
                /** @description Where to go next, in order. */
                fallbacks?: components["schemas"]["ImageRoute"][] | null;
                /** @enum {string|null} */
                fallback_policy?: "on_unavailable" | "on_error" | null;
                /** @description The deadline of the whole operation, in milliseconds. */
                timeout_ms?: number | null;
                metadata?: {
                    [key: string]: string;
                } | null;
            } | null;
            style?: unknown;
            complexity?: unknown;
            frame_count?: unknown;
            provider?: string | null;
            negative_prompt?: string | null;
            /**
             * @description Left out, it is normalize here.
             * @enum {string|null}
             */
            compatibility?: "strict" | "normalize" | "best_effort" | null;
            /** @enum {string|null} */
            revised_prompt?: "include" | "omit" | "require" | null;
            session_key?: string | null;
            images: ({
                /** @description A data URL. */
                image_url: string;
            } | components["schemas"]["DescribedImage"])[];
            mask?: ({
                /** @description A data URL. */
                image_url: string;
            } | components["schemas"]["DescribedImage"]) | null;
        };
        ErrorReply: {
            error: {
                message: string;
                type: string;
                /** @description The first field at fault, such as parameters.n. */
                param: string | null;
                /** @description What OpenAI clients switch on. */
                code: string;
                bridge_ext: {
                    /**
                     * @description The stable name under which the bridge files it.
                     * @enum {string}
                     */
                    code: "invalid_request" | "input" | "unsupported_capability" | "authentication" | "permission_denied" | "safety_rejected" | "not_found" | "conflict" | "idempotency_conflict" | "rate_limited" | "overloaded" | "timeout" | "cancelled" | "upstream" | "protocol" | "artifact" | "configuration" | "internal";
                    /** @description Whether the same request may simply be sent again. */
                    retryable: boolean;
                    provider?: string;
                    upstream_request_id?: string;
                    /** @description Facts about this failure, such as issues, supported_models, outcome or retry_after_ms. */
                    details: {
                        [key: string]: unknown;
                    };
                    /** @description What you can do, best first. */
                    suggestions: string[];
                };
            };
            /** @description The same as the x-request-id header. */
            request_id: string;
        };
        BridgeError: {
            /**
             * @description The stable name under which the bridge files it.
             * @enum {string}
             */
            code: "invalid_request" | "input" | "unsupported_capability" | "authentication" | "permission_denied" | "safety_rejected" | "not_found" | "conflict" | "idempotency_conflict" | "rate_limited" | "overloaded" | "timeout" | "cancelled" | "upstream" | "protocol" | "artifact" | "configuration" | "internal";
            /** @description Whether the same request may simply be sent again. */
            retryable: boolean;
            provider?: string;
            upstream_request_id?: string;
            /** @description Facts about this failure, such as issues, supported_models, outcome or retry_after_ms. */
            details: {
                [key: string]: unknown;
            };
            /** @description What you can do, best first. */
            suggestions: string[];
            message: string;
        };
        Liveness: {
            /** @constant */
            status: "live";
        };
        Ready: {
            /** @constant */
            status: "ready";
        };
        NotReady: {
            /** @constant */
            status: "not_ready";
        };
        ProviderDescriptor: {
            name: string;
            display_name: string;
            version: string;
            experimental: boolean;
            models: string[];
            default_model: string;
            default: boolean;
        };
        ProviderPage: {
            items: components["schemas"]["ProviderDescriptor"][];
            next_cursor?: string;
        };
        CapabilityDocument: {
            provider: string;
            model: string;
            implementation_version: string;
            experimental: boolean;
            generation: boolean;
            edits: boolean;
            count: {
                min: number;
                max: number;
            };
            batching: {
                /** @enum {string} */
                mode: "native" | "fan_out";
                native_count: {
                    min: number;
                    max: number;
                };
                max_parallel_outputs: number;
            };
            sizes: {
                auto: boolean;
                allowed: string[];
                arbitrary: boolean;
                min_edge?: number;
                max_edge?: number;
                edge_multiple?: number;
                min_pixels?: number;
                max_pixels?: number;
                max_aspect_ratio?: number;
            };
            /** @enum {string} */
            aspect_ratio: "native" | "emulated" | "unsupported";
            aspect_ratios?: string[];
            /** @enum {string} */
            resolution: "native" | "emulated" | "unsupported";
            resolutions?: ("1k" | "2k" | "4k")[];
            /** @enum {string} */
            negative_prompt: "native" | "emulated" | "unsupported";
            /** @enum {string} */
            revised_prompt: "native" | "emulated" | "unsupported";
            /** @enum {string} */
            transparent_background: "native" | "emulated" | "unsupported";
            /** @enum {string} */
            user_attribution: "native" | "emulated" | "unsupported";
            qualities: ("auto" | "low" | "medium" | "high" | "xhigh" | "max")[];
            output_formats: ("png" | "jpeg" | "webp")[];
            backgrounds: ("auto" | "opaque" | "transparent")[];
            moderation: ("auto" | "low")[];
            actions: ("auto" | "generate" | "edit")[];
            input_fidelities: ("low" | "high")[];
            reference_images: {
                /** @enum {string} */
                support: "native" | "emulated" | "unsupported";
                max_count: number;
                max_bytes_each: number;
                max_bytes_total: number;
            };
            edit_images: {
                /** @enum {string} */
                support: "native" | "emulated" | "unsupported";
                max_count: number;
                max_bytes_each: number;
                max_bytes_total: number;
            };
            masks: {
                /** @enum {string} */
                support: "native" | "emulated" | "unsupported";
                max_count: number;
                max_bytes_each: number;
                max_bytes_total: number;
            };
            partial_images: {
                min: number;
                max: number;
            };
            persistent_sessions: boolean;
            explicit_threads: boolean;
            /** @enum {string} */
            source_transport: "conversation_attachment" | "multipart" | "local";
        };
        ImageResponse: {
            id: string;
            created: number;
            provider: string;
            model: string;
            requested: components["schemas"]["ImageParameters"];
            effective: components["schemas"]["ImageParameters"];
            normalizations: components["schemas"]["Normalization"][];
            attempts?: components["schemas"]["Attempt"][];
            data: components["schemas"]["GeneratedImage"][];
            failures?: {
                index: number;
                error: components["schemas"]["BridgeError"];
                generation_ms: number;
            }[];
            revised_prompt?: string;
            usage?: components["schemas"]["Usage"];
            session?: components["schemas"]["SessionReport"];
            timings: components["schemas"]["Timings"];
            delivered: components["schemas"]["Delivered"][];
            warnings: ("partial_output_failure" | "transient_provider_retry_used" | "negative_prompt_merged" | "output_size_differs" | "output_format_converted" | "ignored_parameters" | "sandbox_output" | "transparency_failed" | "mask_not_native" | "mask_exact_before_encoding" | "metadata_not_embedded")[];
        };
        ImageParameters: {
            /** @description How many images to make. */
            n: number;
            /** @description Width and height in pixels, such as 1536x1024. */
            size: string;
            /** @description A shape such as 16:9, in place of a size. */
            aspect_ratio: string | null;
            /** @description An order of magnitude, in place of a size. */
            resolution: ("1k" | "2k" | "4k") | null;
            /**
             * @description xhigh and max only where a capability document lists them.
             * @enum {string}
             */
            quality: "auto" | "low" | "medium" | "high" | "xhigh" | "max";
            /** @enum {string} */
            output_format: "png" | "jpeg" | "webp";
            /** @description The quality of the encoding, for jpeg and webp only. */
            output_compression: number | null;
            /**
             * @description Transparency is cut out by the bridge where a provider lacks it.
             * @enum {string}
             */
            background: "auto" | "opaque" | "transparent";
            /** @enum {string} */
            moderation: "auto" | "low";
            /** @description How many unfinished images to show on the way. */
            partial_images: number;
            /**
             * @description best_effort returns the images that succeeded and lists the failures.
             * @enum {string}
             */
            failure_policy: "fail_fast" | "best_effort";
            /**
             * @description What the model is asked to do; auto follows the operation.
             * @enum {string}
             */
            action: "auto" | "generate" | "edit";
            /** @description How closely to follow the given images. */
            input_fidelity: ("low" | "high") | null;
        };
        GeneratedImage: {
            /** @constant */
            type: "b64_json";
            b64_json: string;
            index: number;
            /** @enum {string} */
            format: "png" | "jpeg" | "webp";
            width: number;
            height: number;
            bytes: number;
            sha256: string;
            generation_ms?: number;
            metadata_name?: string;
            revised_prompt?: string;
        } | {
            /** @constant */
            type: "artifact";
            id: string;
            name: string;
            index: number;
            /** @enum {string} */
            format: "png" | "jpeg" | "webp";
            width: number;
            height: number;
            bytes: number;
            sha256: string;
            generation_ms?: number;
            metadata_name?: string;
            revised_prompt?: string;
        } | {
            /** @constant */
            type: "url";
            url: string;
            id: string;
            index: number;
            /** @enum {string} */
            format: "png" | "jpeg" | "webp";
            width: number;
            height: number;
            bytes: number;
            sha256: string;
            generation_ms?: number;
            metadata_name?: string;
            revised_prompt?: string;
        } | {
            /** @constant */
            type: "metadata";
            index: number;
            /** @enum {string} */
            format: "png" | "jpeg" | "webp";
            width: number;
            height: number;
            bytes: number;
            sha256: string;
            generation_ms?: number;
            metadata_name?: string;
            revised_prompt?: string;
        };
        Normalization: {
            field: string;
            requested: string | number | boolean | null;
            effective: string | number | boolean | null;
            /** @enum {string} */
            reason: "provider_uses_automatic_action" | "clamped_to_provider_range" | "normalized_to_provider_size" | "provider_does_not_support_hint" | "normalized_to_provider_default" | "provider_supports_native_alpha" | "provider_alpha_emulated_with_local_chroma_key" | "transparent_output_requires_alpha_capable_format" | "provider_unsupported" | "compatibility_alias" | "provider_mask_emulated_with_local_composite";
        };
        Attempt: {
            provider: string;
            model?: string;
            /** @enum {string} */
            outcome: "succeeded" | "failed";
            error_code?: string;
            duration_ms: number;
        };
        Usage: {
            input_tokens?: number;
            output_tokens?: number;
            total_tokens?: number;
            provider?: {
                [key: string]: number;
            };
        };
        SessionReport: {
            key?: string;
            thread_id?: string;
            reused: boolean;
        };
        Timings: {
            queue_ms: number;
            input_ms: number;
            provider_ms: number;
            artifact_ms: number;
            total_ms: number;
        };
        Delivered: {
            index: number;
            /** @enum {string} */
            size: "honoured" | "changed" | "unspecified";
            /** @enum {string} */
            format: "honoured" | "changed" | "unspecified";
            /** @enum {string} */
            alpha: "honoured" | "changed" | "unspecified";
        };
        ImagePlan: {
            /** @description The index of the first route that takes the request and is ready; null where no route does. */
            chosen: number | null;
            /** @description In the order in which they are tried. */
            routes: components["schemas"]["PlannedRoute"][];
        };
        PlannedRoute: {
            provider: string;
            model: string;
            /** @description Whether the last probe found the provider ready and its circuit breaker admits a request. */
            ready: boolean;
            /** @description How many calls of the provider it takes; 0 where it is refused. */
            calls: number;
            /** @description What takes effect; as requested where it is refused. */
            effective: {
                /** @description How many images to make. */
                n: number;
                /** @description Width and height in pixels, such as 1536x1024. */
                size: string;
                /** @description A shape such as 16:9, in place of a size. */
                aspect_ratio: string | null;
                /** @description An order of magnitude, in place of a size. */
                resolution: ("1k" | "2k" | "4k") | null;
                /**
                 * @description xhigh and max only where a capability document lists them.
                 * @enum {string}
                 */
                quality: "auto" | "low" | "medium" | "high" | "xhigh" | "max";
                /** @enum {string} */
                output_format: "png" | "jpeg" | "webp";
                /** @description The quality of the encoding, for jpeg and webp only. */
                output_compression: number | null;
                /**
                 * @description Transparency is cut out by the bridge where a provider lacks it.
                 * @enum {string}
                 */
                background: "auto" | "opaque" | "transparent";
                /** @enum {string} */
                moderation: "auto" | "low";
                /** @description How many unfinished images to show on the way. */
                partial_images: number;
                /**
                 * @description best_effort returns the images that succeeded and lists the failures.
                 * @enum {string}
                 */
                failure_policy: "fail_fast" | "best_effort";
                /**
                 * @description What the model is asked to do; auto follows the operation.
                 * @enum {string}
                 */
                action: "auto" | "generate" | "edit";
                /** @description How closely to follow the given images. */
                input_fidelity: ("low" | "high") | null;
            };
            normalizations: components["schemas"]["Normalization"][];
            /** @description Those that are known before the work; the reply may have more. */
            warnings: ("partial_output_failure" | "transient_provider_retry_used" | "negative_prompt_merged" | "output_size_differs" | "output_format_converted" | "ignored_parameters" | "sandbox_output" | "transparency_failed" | "mask_not_native" | "mask_exact_before_encoding" | "metadata_not_embedded")[];
            /** @description Only for a transparent background that the provider or the bridge makes. */
            transparency?: components["schemas"]["PlannedTransparency"];
            /** @description What refuses the request on this route; where `calls` is above 0, why the provider is not ready now. */
            error?: components["schemas"]["BridgeError"];
        };
        PlannedTransparency: {
            /** @constant */
            mode: "native";
        } | {
            /** @constant */
            mode: "chroma_key";
            /** @description The background to ask for and to cut out, as #RRGGBB. */
            key_color: string;
        };
        StreamEvent: components["schemas"]["StartedEvent"] | components["schemas"]["ProgressEvent"] | components["schemas"]["PartialImageEvent"] | components["schemas"]["CompletedEvent"] | components["schemas"]["ErrorEvent"];
        StartedEvent: {
            /** @constant */
            type: "started";
            request_id: string;
            created: number;
        };
        ProgressEvent: {
            /** @constant */
            type: "progress";
            /** @enum {string} */
            stage: "queued" | "preparing" | "dispatched" | "generating" | "verifying" | "publishing";
            index?: number;
        };
        PartialImageEvent: {
            /** @constant */
            type: "partial_image";
            index: number;
            partial_index: number;
            /** @enum {string} */
            format: "png" | "jpeg" | "webp";
            width: number;
            height: number;
            b64_json: string;
        };
        CompletedEvent: {
            /** @constant */
            type: "completed";
            response: components["schemas"]["ImageResponse"];
        };
        ErrorEvent: {
            /** @constant */
            type: "error";
            error: {
                message: string;
                type: string;
                /** @description The first field at fault, such as parameters.n. */
                param: string | null;
                /** @description What OpenAI clients switch on. */
                code: string;
                bridge_ext: {
                    /**
                     * @description The stable name under which the bridge files it.
                     * @enum {string}
                     */
                    code: "invalid_request" | "input" | "unsupported_capability" | "authentication" | "permission_denied" | "safety_rejected" | "not_found" | "conflict" | "idempotency_conflict" | "rate_limited" | "overloaded" | "timeout" | "cancelled" | "upstream" | "protocol" | "artifact" | "configuration" | "internal";
                    /** @description Whether the same request may simply be sent again. */
                    retryable: boolean;
                    provider?: string;
                    upstream_request_id?: string;
                    /** @description Facts about this failure, such as issues, supported_models, outcome or retry_after_ms. */
                    details: {
                        [key: string]: unknown;
                    };
                    /** @description What you can do, best first. */
                    suggestions: string[];
                };
            };
            /** @description The same as the x-request-id header. */
            request_id: string;
        };
        ImageJob: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            status: "queued" | "running" | "succeeded" | "failed" | "cancelled" | "interrupted";
            created: number;
            updated: number;
            started?: number;
            completed?: number;
            cancel_requested: boolean;
            /** @description Left out, it is 0. */
            priority?: number;
            /** @description Favourites are exempt from the pruning of history. */
            favorite: boolean;
            /** @description When it was hidden; hidden jobs can be restored. */
            deleted?: number;
            progress?: {
                /** @enum {string} */
                stage: "queued" | "preparing" | "dispatched" | "generating" | "verifying" | "publishing";
                partial_images: number;
            };
            request: components["schemas"]["ImageJobRequest"];
            /**
             * Format: uuid
             * @description The job that this one was made from by a retry.
             */
            retry_of?: string;
            result?: components["schemas"]["ImageResponse"];
            /** @description What a job had finished that did not succeed. A retry of it asks for the other images only. */
            partial_result?: {
                data: components["schemas"]["GeneratedImage"][];
            };
            error?: components["schemas"]["BridgeError"];
            /** @description How the end of the job is sent; absent where it is not sent. */
            webhook?: {
                /** @enum {string} */
                status: "pending" | "delivered" | "failed";
                /** @description How often the end was sent. */
                attempts: number;
                /** @description Of the last reply, where there was one. */
                last_status?: number;
            };
        };
        ImageJobRequest: {
            /** @enum {string} */
            operation: "generate" | "edit";
            /** @description What to avoid; with the prompt at most 12288 bytes of UTF-8. */
            negative_prompt: string | null;
            parameters: {
                /** @description How many images to make. */
                n: number;
                /** @description Width and height in pixels, such as 1536x1024. */
                size: string;
                /** @description A shape such as 16:9, in place of a size. */
                aspect_ratio: string | null;
                /** @description An order of magnitude, in place of a size. */
                resolution: ("1k" | "2k" | "4k") | null;
                /**
                 * @description xhigh and max only where a capability document lists them.
                 * @enum {string}
                 */
                quality: "auto" | "low" | "medium" | "high" | "xhigh" | "max";
                /**
                 * @description Left out, it is png.
                 * @enum {string}
                 */
                output_format?: "png" | "jpeg" | "webp";
                /** @description The quality of the encoding, for jpeg and webp only. */
                output_compression: number | null;
                /**
                 * @description Transparency is cut out by the bridge where a provider lacks it.
                 * @enum {string}
                 */
                background: "auto" | "opaque" | "transparent";
                /** @enum {string} */
                moderation: "auto" | "low";
                /** @description How many unfinished images to show on the way. */
                partial_images: number;
                /**
                 * @description best_effort returns the images that succeeded and lists the failures.
                 * @enum {string}
                 */
                failure_policy: "fail_fast" | "best_effort";
                /**
                 * @description What the model is asked to do; auto follows the operation.
                 * @enum {string}
                 */
                action: "auto" | "generate" | "edit";
                /** @description How closely to follow the given images. */
                input_fidelity: ("low" | "high") | null;
            };
            output: {
                /**
                 * @description How images are delivered; metadata verifies and describes them, and keeps no bytes. Jobs always use artifact.
                 * @enum {string}
                 */
                response_format: "b64_json" | "artifact" | "url" | "metadata";
                /** @description Below the artifact root, with a named token below the folder of its owner: up to 512 bytes of portable names. For artifact and url delivery. */
                directory?: string;
                /** @description For one image; the extension may be left out. For artifact and url delivery. */
                filename?: string;
                /** @description In place of a filename. For artifact and url delivery. */
                filename_prefix?: string;
                /**
                 * @description What to do when the filename is taken: suffix tries -2, -3 and so on.
                 * @enum {string}
                 */
                collision: "error" | "suffix";
                /**
                 * @description Where to write an ImageMetadataRecord: beside the image (artifact delivery only), inside it, or both.
                 * @enum {string}
                 */
                metadata: "none" | "sidecar" | "embedded" | "sidecar_and_embedded";
                transparency: {
                    /**
                     * @description auto takes the alpha of the provider where it has one, else cuts a flat background out.
                     * @enum {string}
                     */
                    mode: "auto" | "native" | "chroma_key";
                    /** @description The background to ask for and to cut out; left out, the bridge chooses. */
                    key_color: string | null;
                    /** @description Up to this distance from the key colour a pixel becomes clear; below opaque_threshold. */
                    transparent_threshold: number;
                    /** @description From this distance on a pixel stays opaque. */
                    opaque_threshold: number;
                    /** @description Takes the key colour out of the edges of the subject. */
                    despill: boolean;
                };
            };
            routing: {
                /** @description A name that GET /v1/providers lists. */
                provider: string | null;
                /** @description Without a provider it goes to the default one, else to the first by name that lists it. */
                model: string | null;
                /** @description Where to go next, in order. For isolated sessions only. */
                fallbacks: components["schemas"]["ImageRoute"][];
                /**
                 * @description on_error also falls back after a failure whose outcome is known.
                 * @enum {string}
                 */
                fallback_policy: "on_unavailable" | "on_error";
            };
            session: {
                /**
                 * @description Whether the provider remembers: not at all, under a key of yours, or in a thread that it named.
                 * @enum {string}
                 */
                mode: "isolated" | "persistent" | "thread";
                /** @description With persistent, and only there. */
                key?: string;
                /** @description With thread, and only there. */
                thread_id?: string;
            };
            policies: {
                /**
                 * @description What a provider cannot do is refused, changed to the nearest thing, or also dropped; every change is reported.
                 * @enum {string}
                 */
                compatibility: "strict" | "normalize" | "best_effort";
                /**
                 * @description Whether it goes to the provider on its own or as a part of the prompt.
                 * @enum {string}
                 */
                negative_prompt: "auto" | "native" | "merge" | "reject";
                /**
                 * @description What to do with the prompt as the provider rewrote it.
                 * @enum {string}
                 */
                revised_prompt: "include" | "omit" | "require";
                /**
                 * @description How the calls for several images run; parallel needs an isolated session.
                 * @enum {string}
                 */
                batch_execution: "auto" | "sequential" | "parallel";
            };
            /** @description The deadline of the whole operation, in milliseconds. */
            timeout_ms: number | null;
            /** @description Who this is for, in a word of yours. */
            user: string | null;
            /** @description Kept with the job and the metadata record, never sent to a provider. */
            metadata: {
                [key: string]: string;
            };
            /** @constant */
            version: "1";
            prompt: string;
            images: components["schemas"]["StoredInput"][];
            mask: components["schemas"]["StoredInput"] | null;
            reference_images: components["schemas"]["StoredInput"][];
        };
        ImageJobSummary: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            status: "queued" | "running" | "succeeded" | "failed" | "cancelled" | "interrupted";
            created: number;
            updated: number;
            started?: number;
            completed?: number;
            cancel_requested: boolean;
            /** @description Left out, it is 0. */
            priority?: number;
            /** @description Favourites are exempt from the pruning of history. */
            favorite: boolean;
            /** @description When it was hidden; hidden jobs can be restored. */
            deleted?: number;
            progress?: {
                /** @enum {string} */
                stage: "queued" | "preparing" | "dispatched" | "generating" | "verifying" | "publishing";
                partial_images: number;
            };
            /** @enum {string} */
            operation: "generate" | "edit";
            /** @description Its first 256 characters. */
            prompt: string;
            provider: string;
            model?: string;
            /** @description How many images were asked for. */
            outputs: number;
            /** @description What its plan asks for: auto, or WxH in pixels. */
            size: string;
            /** @description How many images it came with: images, mask and references. */
            inputs: number;
            /** @description The bridge_ext.code of its error. */
            error_code?: string;
            artifacts: {
                id: string;
                width: number;
                height: number;
                /** @enum {string} */
                format: "png" | "jpeg" | "webp";
                bytes: number;
            }[];
        };
        ImageJobPage: {
            items: components["schemas"]["ImageJobSummary"][];
            next_cursor?: string;
        };
        ImageJobEvent: components["schemas"]["JobSnapshotEvent"] | components["schemas"]["ProgressEvent"] | components["schemas"]["JobPartialImageEvent"] | components["schemas"]["JobEndedEvent"] | components["schemas"]["ErrorEvent"];
        JobSnapshotEvent: {
            /** @constant */
            type: "snapshot";
            job: components["schemas"]["ImageJob"];
        };
        JobPartialImageEvent: {
            /** @constant */
            type: "partial_image";
            index: number;
            partial_index: number;
            width: number;
            height: number;
        };
        JobEndedEvent: {
            /** @constant */
            type: "ended";
            job: components["schemas"]["ImageJob"];
        };
        ImageJobFeedEvent: components["schemas"]["JobChangedEvent"] | components["schemas"]["JobRemovedEvent"] | components["schemas"]["ErrorEvent"];
        JobChangedEvent: {
            /** @constant */
            type: "job";
            /** @description True for jobs that are active when the stream begins, and for those that changed before it began. */
            snapshot: boolean;
            job: components["schemas"]["ImageJobSummary"];
        };
        JobRemovedEvent: {
            /** @constant */
            type: "removed";
            /** Format: uuid */
            id: string;
        };
        WebhookMessage: {
            /**
             * @description How the job has ended.
             * @enum {string}
             */
            type: "job.succeeded" | "job.failed" | "job.cancelled" | "job.interrupted";
            /**
             * Format: date-time
             * @description When the job has ended.
             */
            timestamp: string;
            data: components["schemas"]["ImageJob"];
        };
        ImageQueue: {
            /** @description A paused queue accepts jobs and starts none. Running ones continue. */
            paused: boolean;
            queued: number;
            running: number;
            /** @description How long ago the first of the queued jobs was accepted, to the second. Absent when none is queued. */
            oldest_queued_age_ms?: number;
            /** @description Where the jobs are meant to go first: those providers that have any. */
            by_provider: {
                [key: string]: {
                    queued: number;
                    running: number;
                };
            };
        };
        StoredInput: {
            /** @constant */
            type: "stored";
            sha256: string;
            /** @enum {string} */
            media_type: "image/png" | "image/jpeg" | "image/webp";
            bytes: number;
            filename?: string;
        };
        ImagePreset: {
            name: string;
            description?: string;
            template: components["schemas"]["ImagePresetTemplate"];
            created: number;
            updated: number;
        };
        ImagePresetPage: {
            items: components["schemas"]["ImagePreset"][];
            next_cursor?: string;
        };
        SessionBinding: {
            key: string;
            thread_id: string;
            /** @constant */
            reused: true;
        };
        UsageReport: {
            caller: components["schemas"]["UsageCaller"];
            /** @description Days with images, the latest first. */
            items: components["schemas"]["DayUsage"][];
        };
        UsageCaller: {
            /** @description Of the token; absent where it has none. */
            name?: string;
            permissions: ("images" | "jobs" | "read" | "presets" | "metrics" | "diagnostics" | "admin")[];
            /** @description When the token stops being valid. */
            expires?: number;
            allowance?: {
                images_per_day: number;
                /** @description Today: `images`, `unknown`, and what is reserved for work that has not ended. */
                used: number;
                /** @description When the next day begins, in UTC. */
                resets: number;
            };
        };
        DayUsage: {
            /**
             * Format: date
             * @description In UTC, such as 2026-11-22.
             */
            day: string;
            /** @description Images that the provider has made and charges for, whether they were delivered or not. */
            images: number;
            /** @description Images that were asked for and certainly not made. */
            failed: number;
            /** @description Images that may have been made and charged for: their call ended without a known outcome. */
            unknown: number;
            /** @description Those of `images` that were not delivered: neither in a reply, nor as an artifact, nor in the result of a job. */
            lost: number;
            /** @description Tokens of the models, where providers report them. */
            tokens?: number;
            /** @description By the names of the providers that were used. */
            by_provider: {
                [key: string]: {
                    /** @description Images that the provider has made and charges for, whether they were delivered or not. */
                    images: number;
                    /** @description Images that were asked for and certainly not made. */
                    failed: number;
                    /** @description Images that may have been made and charged for: their call ended without a known outcome. */
                    unknown: number;
                    /** @description Those of `images` that were not delivered: neither in a reply, nor as an artifact, nor in the result of a job. */
                    lost: number;
                    /** @description Tokens of the models, where providers report them. */
                    tokens?: number;
                };
            };
        };
        ImageMetadataRecord: {
            /** @constant */
            version: "1";
            request_id: string;
            completed: number;
            /** @enum {string} */
            operation: "generate" | "edit";
            /** @description How many images of each kind were given. */
            inputs: {
                images: number;
                mask: number;
                reference_images: number;
            };
            prompt: string;
            /** @description What was sent to the provider, where it differs. */
            effective_prompt?: string;
            negative_prompt?: string;
            effective_negative_prompt?: string;
            policies: {
                /**
                 * @description What a provider cannot do is refused, changed to the nearest thing, or also dropped; every change is reported.
                 * @enum {string}
                 */
                compatibility: "strict" | "normalize" | "best_effort";
                /**
                 * @description Whether it goes to the provider on its own or as a part of the prompt.
                 * @enum {string}
                 */
                negative_prompt: "auto" | "native" | "merge" | "reject";
                /**
                 * @description What to do with the prompt as the provider rewrote it.
                 * @enum {string}
                 */
                revised_prompt: "include" | "omit" | "require";
                /**
                 * @description How the calls for several images run; parallel needs an isolated session.
                 * @enum {string}
                 */
                batch_execution: "auto" | "sequential" | "parallel";
            };
            requested: components["schemas"]["ImageParameters"];
            effective: components["schemas"]["ImageParameters"];
            provider: string;
            model: string;
            usage?: components["schemas"]["Usage"];
            /** @description Up to the writing of the record: what publication takes is not in it. */
            timings?: components["schemas"]["Timings"];
            attempts?: components["schemas"]["Attempt"][];
            warnings?: ("partial_output_failure" | "transient_provider_retry_used" | "negative_prompt_merged" | "output_size_differs" | "output_format_converted" | "ignored_parameters" | "sandbox_output" | "transparency_failed" | "mask_not_native" | "mask_exact_before_encoding" | "metadata_not_embedded")[];
            normalizations?: components["schemas"]["Normalization"][];
            revised_prompt?: string;
            session?: components["schemas"]["SessionReport"];
            metadata: {
                [key: string]: string;
            };
            image: {
                index: number;
                /** @enum {string} */
                format: "png" | "jpeg" | "webp";
                width: number;
                height: number;
                /** @description In a sidecar only: a file cannot hold its own size. */
                bytes?: number;
                /** @description In a sidecar only: a file cannot hold its own sum. */
                sha256?: string;
            };
            /** @description What did not fit into the image. */
            omitted_fields?: ("usage" | "timings" | "attempts" | "warnings" | "normalizations" | "revised_prompt" | "session")[];
        };
        Diagnostics: {
            service_version: string;
            started: number;
            uptime_ms: number;
            listener: {
                /** @enum {string} */
                scope: "loopback" | "remote";
                port: number;
            };
            authentication_required: boolean;
            configuration: {
                version: number;
                /** @description Where each setting comes from; never its value. */
                origins: {
                    field: string;
                    /** @enum {string} */
                    source: "default" | "file" | "environment" | "override";
                }[];
            };
            runtime: {
                global: {
                    active: number;
                    queued: number;
                    max_concurrent: number | "unlimited";
                    max_queued: number | "unlimited";
                };
                providers: {
                    [key: string]: {
                        active: number;
                        queued: number;
                        max_concurrent: number | "unlimited";
                        max_queued: number | "unlimited";
                        breaker: {
                            /** @enum {string} */
                            state: "closed" | "open" | "half_open";
                            failures: number;
                            /** @description How often it has opened since the start. */
                            opens: number;
                            retry_after_ms?: number;
                        };
                    };
                };
            };
            providers: {
                name: string;
                ready: boolean;
                checked: number;
                /** @enum {string} */
                error_code?: "invalid_request" | "input" | "unsupported_capability" | "authentication" | "permission_denied" | "safety_rejected" | "not_found" | "conflict" | "idempotency_conflict" | "rate_limited" | "overloaded" | "timeout" | "cancelled" | "upstream" | "protocol" | "artifact" | "configuration" | "internal";
                /** @description How often its child process was started again. */
                restarts: number;
            }[];
            jobs: {
                enabled: boolean;
                by_status: {
                    queued: number;
                    running: number;
                    succeeded: number;
                    failed: number;
                    cancelled: number;
                    interrupted: number;
                };
                hidden: number;
                favorite: number;
                active_workers: number;
                limits: {
                    max_pending: number;
                    max_running: number;
                    max_database_bytes: number;
                };
                retention: {
                    retention_secs: number;
                    max_retained: number;
                    max_retained_bytes: number;
                };
                /** @description Kept free for the results of active jobs. */
                reserved_bytes: number;
                logical_bytes: number;
            };
            webhooks: {
                enabled: boolean;
                /** @description Ends of jobs that are still to be sent. */
                pending: number;
            };
            /** @description What the bridge runs at regular intervals. */
            tasks: {
                name: string;
                /** @description When its last successful run ended; absent before the first one. */
                last_success?: number;
                /** @description How many of its runs have failed since the start. */
                failures: number;
            }[];
            storage: {
                database_bytes_logical: number;
                database_bytes_physical: number;
                artifacts_count: number;
                artifacts_bytes: number;
            };
            events: {
                /** @constant */
                capacity: 256;
                overwritten: number;
                /** @description The newest first. Without the permission `admin` only the replies to the token that asks, and only they are counted. */
                items: {
                    sequence: number;
                    timestamp_ms: number;
                    /** @enum {string} */
                    method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS" | "OTHER";
                    /** @description A route of this document, or unmatched. */
                    route: string;
                    status: number;
                    duration_ms: number;
                }[];
            };
        };
        OpenAiImages: {
            created: number;
            data: ({
                b64_json: string;
                revised_prompt?: string;
            } | {
                url: string;
                revised_prompt?: string;
            })[];
            /** @enum {string} */
            background?: "opaque" | "transparent";
            /** @enum {string} */
            output_format?: "png" | "jpeg" | "webp";
            /** @enum {string} */
            quality?: "low" | "medium" | "high" | "xhigh" | "max";
            size?: string;
            usage?: components["schemas"]["OpenAiImageUsage"];
            bridge_ext: components["schemas"]["OpenAiBridgeExtReport"];
        };
        OpenAiImageUsage: {
            input_tokens?: number;
            output_tokens?: number;
            total_tokens?: number;
            /** @description Clients demand them. Providers report one sum, which counts as text. */
            input_tokens_details: {
                text_tokens: number;
                image_tokens: number;
            };
        };
        OpenAiBridgeExtReport: {
            id: string;
            provider: string;
            model: string;
            effective: components["schemas"]["ImageParameters"];
            normalizations: components["schemas"]["Normalization"][];
            attempts?: components["schemas"]["Attempt"][];
            session?: components["schemas"]["SessionReport"];
            timings: components["schemas"]["Timings"];
            delivered: components["schemas"]["Delivered"][];
            /** @description Fields of the request that were left out. */
            ignored_parameters?: string[];
            warnings: ("partial_output_failure" | "transient_provider_retry_used" | "negative_prompt_merged" | "output_size_differs" | "output_format_converted" | "ignored_parameters" | "sandbox_output" | "transparency_failed" | "mask_not_native" | "mask_exact_before_encoding" | "metadata_not_embedded")[];
        };
        OpenAiGenerationEvent: {
            /** @constant */
            type: "image_generation.partial_image";
            partial_image_index: number;
            b64_json: string;
            created_at: number;
            size: string;
            /** @enum {string} */
            quality: "low" | "medium" | "high" | "xhigh" | "max" | "auto";
            /** @enum {string} */
            background: "opaque" | "transparent" | "auto";
            /** @enum {string} */
            output_format: "png" | "jpeg" | "webp";
            /** @description Which image it is, where there are several. */
            index?: number;
        } | {
            /** @constant */
            type: "image_generation.completed";
            /** @description The sum of all, in the last event. */
            usage?: components["schemas"]["OpenAiImageUsage"];
            bridge_ext?: {
                /** @description Fields of the request that were left out. */
                ignored_parameters?: string[];
            };
            b64_json: string;
            created_at: number;
            size: string;
            /** @enum {string} */
            quality: "low" | "medium" | "high" | "xhigh" | "max" | "auto";
            /** @enum {string} */
            background: "opaque" | "transparent" | "auto";
            /** @enum {string} */
            output_format: "png" | "jpeg" | "webp";
            /** @description Which image it is, where there are several. */
            index?: number;
        } | components["schemas"]["ErrorEvent"];
        OpenAiEditEvent: {
            /** @constant */
            type: "image_edit.partial_image";
            partial_image_index: number;
            b64_json: string;
            created_at: number;
            size: string;
            /** @enum {string} */
            quality: "low" | "medium" | "high" | "xhigh" | "max" | "auto";
            /** @enum {string} */
            background: "opaque" | "transparent" | "auto";
            /** @enum {string} */
            output_format: "png" | "jpeg" | "webp";
            /** @description Which image it is, where there are several. */
            index?: number;
        } | {
            /** @constant */
            type: "image_edit.completed";
            /** @description The sum of all, in the last event. */
            usage?: components["schemas"]["OpenAiImageUsage"];
            bridge_ext?: {
                /** @description Fields of the request that were left out. */
                ignored_parameters?: string[];
            };
            b64_json: string;
            created_at: number;
            size: string;
            /** @enum {string} */
            quality: "low" | "medium" | "high" | "xhigh" | "max" | "auto";
            /** @enum {string} */
            background: "opaque" | "transparent" | "auto";
            /** @enum {string} */
            output_format: "png" | "jpeg" | "webp";
            /** @description Which image it is, where there are several. */
            index?: number;
        } | components["schemas"]["ErrorEvent"];
        Model: {
            /** @description A bare name, provider/model, or an alias. */
            id: string;
            /** @constant */
            object: "model";
            created: number;
            /** @description The provider that the id goes to. */
            owned_by: string;
        };
        ModelList: {
            /** @constant */
            object: "list";
            data: components["schemas"]["Model"][];
        };
        /** @description An error of JSON-RPC 2.0. */
        McpRefusal: {
            /** @constant */
            jsonrpc: "2.0";
            error: {
                /** @description A code of JSON-RPC or of the protocol. */
                code: number;
                message: string;
                data?: {
                    [key: string]: unknown;
                };
            };
            /** @description That of the refused message; null where it has none. */
            id: (string | number) | null;
        };
    };
    responses: {
        /** @description Unprocessable Entity: `invalid_request`. */
        invalid_request: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                traceparent: components["headers"]["traceparent"];
                "x-should-retry": components["headers"]["x-should-retry"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorReply"];
            };
        };
        /** @description Bad Request: `invalid_request`. */
        malformed_request: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                traceparent: components["headers"]["traceparent"];
                "x-should-retry": components["headers"]["x-should-retry"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorReply"];
            };
        };
        /** @description Request Timeout: `invalid_request`. */
        request_timeout: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                traceparent: components["headers"]["traceparent"];
                "x-should-retry": components["headers"]["x-should-retry"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorReply"];
            };
        };
        /** @description Payload Too Large: `invalid_request`. */
        body_too_large: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                traceparent: components["headers"]["traceparent"];
                "x-should-retry": components["headers"]["x-should-retry"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorReply"];
            };
        };
        /** @description Unsupported Media Type: `invalid_request`. */
        unsupported_media_type: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                traceparent: components["headers"]["traceparent"];
                "x-should-retry": components["headers"]["x-should-retry"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorReply"];
            };
        };
        /** @description Range Not Satisfiable: `invalid_request`. */
        range_not_satisfiable: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                traceparent: components["headers"]["traceparent"];
                "x-should-retry": components["headers"]["x-should-retry"];
                /** @description How many bytes there are: bytes *\/N. */
                "content-range"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorReply"];
            };
        };
        /** @description Expectation Failed: `invalid_request`. */
        expectation_failed: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                traceparent: components["headers"]["traceparent"];
                "x-should-retry": components["headers"]["x-should-retry"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorReply"];
            };
        };
        /** @description Request Header Fields Too Large: `invalid_request`. */
        header_too_large: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                traceparent: components["headers"]["traceparent"];
                "x-should-retry": components["headers"]["x-should-retry"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorReply"];
            };
        };
        /** @description Unauthorized: `authentication_required`. */
        authentication_required: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                traceparent: components["headers"]["traceparent"];
                "x-should-retry": components["headers"]["x-should-retry"];
                /** @description The scheme to use: Bearer. */
                "www-authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorReply"];
            };
        };
        /** @description Forbidden: `permission_denied`. */
        permission_denied: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                traceparent: components["headers"]["traceparent"];
                "x-should-retry": components["headers"]["x-should-retry"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorReply"];
            };
        };
        /** @description Not Found: `not_found`. */
        not_found: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                traceparent: components["headers"]["traceparent"];
                "x-should-retry": components["headers"]["x-should-retry"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorReply"];
            };
        };
        /** @description Not Found: `session_not_found`. */
        session_not_found: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                traceparent: components["headers"]["traceparent"];
                "x-should-retry": components["headers"]["x-should-retry"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorReply"];
            };
        };
        /** @description Conflict: `job_not_terminal`. */
        job_not_terminal: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                traceparent: components["headers"]["traceparent"];
                "x-should-retry": components["headers"]["x-should-retry"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorReply"];
            };
        };
        /** @description Conflict: `session_busy`. */
        session_busy: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                traceparent: components["headers"]["traceparent"];
                "x-should-retry": components["headers"]["x-should-retry"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorReply"];
            };
        };
        /** @description Conflict: `idempotency_conflict`. */
        idempotency_conflict: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                traceparent: components["headers"]["traceparent"];
                "x-should-retry": components["headers"]["x-should-retry"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorReply"];
            };
        };
        /** @description Too Many Requests: `rate_limit_exceeded`. */
        rate_limited: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                traceparent: components["headers"]["traceparent"];
                "x-should-retry": components["headers"]["x-should-retry"];
                "retry-after": components["headers"]["retry-after"];
                "retry-after-ms": components["headers"]["retry-after-ms"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorReply"];
            };
        };
        /** @description Service Unavailable: `overloaded`. */
        overloaded: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                traceparent: components["headers"]["traceparent"];
                "x-should-retry": components["headers"]["x-should-retry"];
                "retry-after": components["headers"]["retry-after"];
                "retry-after-ms": components["headers"]["retry-after-ms"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorReply"];
            };
        };
        /** @description Gateway Timeout: `timeout`. */
        timeout: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                traceparent: components["headers"]["traceparent"];
                "x-should-retry": components["headers"]["x-should-retry"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorReply"];
            };
        };
        /** @description Client Closed Request: `cancelled`. */
        cancelled: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                traceparent: components["headers"]["traceparent"];
                "x-should-retry": components["headers"]["x-should-retry"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorReply"];
            };
        };
        /** @description Bad Gateway: `upstream_error`. */
        upstream: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                traceparent: components["headers"]["traceparent"];
                "x-should-retry": components["headers"]["x-should-retry"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorReply"];
            };
        };
        /** @description Internal Server Error: `internal_error`. */
        internal: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                traceparent: components["headers"]["traceparent"];
                "x-should-retry": components["headers"]["x-should-retry"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorReply"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description The id of this request, the same as in the body. */
        "x-request-id": string;
        /** @description The trace that the request belongs to (W3C Trace Context). */
        traceparent: string;
        /** @description Whether the same request may simply be sent again. */
        "x-should-retry": "true" | "false";
        /** @description Seconds to wait before the request is sent again. */
        "retry-after": number;
        /** @description The same in milliseconds, exactly. */
        "retry-after-ms": number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process runs. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Liveness"];
                };
            };
            400: components["responses"]["malformed_request"];
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The default provider and the state database are ready. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ready"];
                };
            };
            400: components["responses"]["malformed_request"];
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            /** @description Not ready. */
            503: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotReady"] | components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    createImage: {
        parameters: {
            query?: never;
            header?: {
                /** @description An equal request under the same key is run once; a repeat gets the same reply. */
                "idempotency-key"?: string;
                /** @description Sent by the official clients. Such a request continues for 10 s after its client has disconnected, and its outcome is kept for 10 s after the reply was written. An equal request with a count of 1 or more joins it, or finds its job. */
                "x-stainless-retry-count"?: string;
                /** @description RFC 7240. With `respond-async` the work is a job from its start, and the reply is that job; with `wait=N` too, it is the images if they are made within N seconds, at most 600. Ignored for streams, where jobs are disabled, and for a token without the permission `jobs`. */
                prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImageRequest"];
            };
        };
        responses: {
            /** @description The images, each verified to its last byte and pixel. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description With 202: the URL of the job. */
                    location?: string;
                    /** @description With 202: the preference that was followed. */
                    "preference-applied"?: string;
                    /** @description With 202: a guess of the seconds until the job has ended. */
                    "retry-after"?: string;
                    /** @description There, and `true`, when the work was that of an equal request; the body is the one that it got. */
                    "idempotent-replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImageResponse"];
                };
            };
            /** @description The job that makes the images, where `Prefer: respond-async` asked for it. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description With 202: the URL of the job. */
                    location?: string;
                    /** @description With 202: the preference that was followed. */
                    "preference-applied"?: string;
                    /** @description With 202: a guess of the seconds until the job has ended. */
                    "retry-after"?: string;
                    /** @description There, and `true`, when the work was that of an equal request; the body is the one that it got. */
                    "idempotent-replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImageJob"];
                };
            };
            /** @description Bad Request: `invalid_request`, `invalid_image_input`, `unsupported_capability`, `moderation_blocked`. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            404: components["responses"]["session_not_found"];
            408: components["responses"]["request_timeout"];
            /** @description Conflict: `artifact_exists`, `session_busy`, `idempotency_conflict`. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            431: components["responses"]["header_too_large"];
            499: components["responses"]["cancelled"];
            /** @description Internal Server Error: `artifact_error`, `configuration`, `internal_error`. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Bad Gateway: `upstream_error`, `protocol_error`. */
            502: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Service Unavailable: `provider_authentication`, `overloaded`. */
            503: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    "retry-after": components["headers"]["retry-after"];
                    "retry-after-ms": components["headers"]["retry-after-ms"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            504: components["responses"]["timeout"];
        };
    };
    streamImage: {
        parameters: {
            query?: never;
            header?: {
                /** @description An equal request under the same key is run once; a repeat gets the same reply. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImageRequest"];
            };
        };
        responses: {
            /** @description Events from `started` to `completed` or `error`. A refusal before the start is a plain error reply. Closing the connection cancels the work, but for work under a key. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description Present, and `true`, when the work is that of an equal request. The stream then has only `started` and the last event. */
                    "idempotent-replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description Bad Request: `invalid_request`, `invalid_image_input`, `unsupported_capability`, `moderation_blocked`. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            404: components["responses"]["session_not_found"];
            408: components["responses"]["request_timeout"];
            /** @description Conflict: `artifact_exists`, `session_busy`, `idempotency_conflict`. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            431: components["responses"]["header_too_large"];
            499: components["responses"]["cancelled"];
            /** @description Internal Server Error: `artifact_error`, `configuration`, `internal_error`. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Bad Gateway: `upstream_error`, `protocol_error`. */
            502: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Service Unavailable: `provider_authentication`, `overloaded`. */
            503: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    "retry-after": components["headers"]["retry-after"];
                    "retry-after-ms": components["headers"]["retry-after-ms"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            504: components["responses"]["timeout"];
        };
    };
    planImage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImagePlanBody"];
            };
        };
        responses: {
            /** @description One row a route, in the order in which they are tried. Nothing is decoded, called or stored, and an idempotency key has no effect. What is known without the pixels of an image and without asking a provider is the same as in the reply to the request itself. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImagePlan"];
                };
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            /** @description Internal Server Error: `configuration`, `internal_error`. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            503: components["responses"]["overloaded"];
        };
    };
    createImageGeneration: {
        parameters: {
            query?: never;
            header?: {
                /** @description An equal request under the same key is run once; a repeat gets the same reply. */
                "idempotency-key"?: string;
                /** @description Sent by the official clients. Such a request continues for 10 s after its client has disconnected, and its outcome is kept for 10 s after the reply was written. An equal request with a count of 1 or more joins it, or finds its job. */
                "x-stainless-retry-count"?: string;
                /** @description RFC 7240. With `respond-async` the work is a job from its start, and the reply is that job; with `wait=N` too, it is the images if they are made within N seconds, at most 600. Ignored for streams, where jobs are disabled, and for a token without the permission `jobs`. */
                prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OpenAiImageGeneration"];
            };
        };
        responses: {
            /** @description The images; where `stream` is on, events: the unfinished ones, one `completed` an image, or an `error`. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description With 202: the URL of the job. */
                    location?: string;
                    /** @description With 202: the preference that was followed. */
                    "preference-applied"?: string;
                    /** @description With 202: a guess of the seconds until the job has ended. */
                    "retry-after"?: string;
                    /** @description There, and `true`, when the work was that of an equal request; the images are the ones that it got. */
                    "idempotent-replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiImages"];
                    "text/event-stream": string;
                };
            };
            /** @description The job that makes the images, where `Prefer: respond-async` asked for it. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description With 202: the URL of the job. */
                    location?: string;
                    /** @description With 202: the preference that was followed. */
                    "preference-applied"?: string;
                    /** @description With 202: a guess of the seconds until the job has ended. */
                    "retry-after"?: string;
                    /** @description There, and `true`, when the work was that of an equal request; the images are the ones that it got. */
                    "idempotent-replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImageJob"];
                };
            };
            /** @description Bad Request: `invalid_request`, `invalid_image_input`, `unsupported_capability`, `moderation_blocked`. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            404: components["responses"]["session_not_found"];
            408: components["responses"]["request_timeout"];
            /** @description Conflict: `artifact_exists`, `session_busy`, `idempotency_conflict`. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            431: components["responses"]["header_too_large"];
            499: components["responses"]["cancelled"];
            /** @description Internal Server Error: `artifact_error`, `configuration`, `internal_error`. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Bad Gateway: `upstream_error`, `protocol_error`. */
            502: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Service Unavailable: `provider_authentication`, `overloaded`. */
            503: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    "retry-after": components["headers"]["retry-after"];
                    "retry-after-ms": components["headers"]["retry-after-ms"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            504: components["responses"]["timeout"];
        };
    };
    createImageEdit: {
        parameters: {
            query?: never;
            header?: {
                /** @description An equal request under the same key is run once; a repeat gets the same reply. */
                "idempotency-key"?: string;
                /** @description Sent by the official clients. Such a request continues for 10 s after its client has disconnected, and its outcome is kept for 10 s after the reply was written. An equal request with a count of 1 or more joins it, or finds its job. */
                "x-stainless-retry-count"?: string;
                /** @description RFC 7240. With `respond-async` the work is a job from its start, and the reply is that job; with `wait=N` too, it is the images if they are made within N seconds, at most 600. Ignored for streams, where jobs are disabled, and for a token without the permission `jobs`. */
                prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OpenAiImageEdit"];
                "multipart/form-data": components["schemas"]["OpenAiImageEditForm"];
            };
        };
        responses: {
            /** @description The images; where `stream` is on, events: the unfinished ones, one `completed` an image, or an `error`. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description With 202: the URL of the job. */
                    location?: string;
                    /** @description With 202: the preference that was followed. */
                    "preference-applied"?: string;
                    /** @description With 202: a guess of the seconds until the job has ended. */
                    "retry-after"?: string;
                    /** @description There, and `true`, when the work was that of an equal request; the images are the ones that it got. */
                    "idempotent-replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiImages"];
                    "text/event-stream": string;
                };
            };
            /** @description The job that makes the images, where `Prefer: respond-async` asked for it. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description With 202: the URL of the job. */
                    location?: string;
                    /** @description With 202: the preference that was followed. */
                    "preference-applied"?: string;
                    /** @description With 202: a guess of the seconds until the job has ended. */
                    "retry-after"?: string;
                    /** @description There, and `true`, when the work was that of an equal request; the images are the ones that it got. */
                    "idempotent-replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImageJob"];
                };
            };
            /** @description Bad Request: `invalid_request`, `invalid_image_input`, `unsupported_capability`, `moderation_blocked`. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            404: components["responses"]["session_not_found"];
            408: components["responses"]["request_timeout"];
            /** @description Conflict: `artifact_exists`, `session_busy`, `idempotency_conflict`. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            431: components["responses"]["header_too_large"];
            499: components["responses"]["cancelled"];
            /** @description Internal Server Error: `artifact_error`, `configuration`, `internal_error`. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Bad Gateway: `upstream_error`, `protocol_error`. */
            502: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Service Unavailable: `provider_authentication`, `overloaded`. */
            503: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    "retry-after": components["headers"]["retry-after"];
                    "retry-after-ms": components["headers"]["retry-after-ms"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            504: components["responses"]["timeout"];
        };
    };
    listModels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All models and their aliases. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelList"];
                };
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    getModel: {
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
            /** @description The model. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Model"];
                };
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    listJobs: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The next_cursor of the page before, under the same filters. */
                cursor?: string;
                status?: "queued" | "running" | "succeeded" | "failed" | "cancelled" | "interrupted";
                /** @description Left out, it is active. */
                visibility?: "active" | "hidden" | "all";
                favorite?: boolean;
                /** @description Where the job went, or is meant to go first. One that was never used has no jobs. */
                provider?: string;
                /** @description A part of the prompt, literally, whatever the case of its letters. */
                search?: string;
                /**
                 * @deprecated
                 * @description true means visibility=all.
                 */
                include_deleted?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of jobs. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImageJobPage"];
                };
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    createJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description An equal request under the same key is run once; a repeat gets the same reply. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImageJobCreate"];
            };
        };
        responses: {
            /** @description The job. It survives restarts. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description The URL of the job. */
                    location?: string;
                    /** @description Present, and `true`, when an equal request under the key came before. */
                    "idempotent-replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImageJob"];
                };
            };
            /** @description Bad Request: `invalid_request`, `invalid_image_input`, `unsupported_capability`. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            404: components["responses"]["session_not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["idempotency_conflict"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            431: components["responses"]["header_too_large"];
            /** @description Internal Server Error: `artifact_error`, `configuration`, `internal_error`. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            503: components["responses"]["overloaded"];
        };
    };
    streamJobs: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the last event that was read: the stream continues there. One that is too old, or of other jobs, is refused. */
                "last-event-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description First an id without an event, then the active jobs, then every job that changes, each as it is when it is sent. A reader that sends the last id back as `Last-Event-ID` gets the jobs that have changed since, also after a restart of the bridge. A slow reader gets each job once, as it is by then. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    getJob: {
        parameters: {
            query?: {
                /** @description How long to wait for the job to end before replying. */
                wait_ms?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job as it is. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImageJob"];
                };
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    cancelJob: {
        parameters: {
            query?: {
                /** @description The fate of calls that a provider has already: stop ends them, finish waits for their images and keeps them. Nothing further is sent in either case. */
                in_flight?: "stop" | "finish";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job as it then is. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImageJob"];
                };
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    updateJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImageJobPatch"];
            };
        };
        responses: {
            /** @description The job as it then is. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImageJob"];
                };
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["job_not_terminal"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    retryJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description An equal request under the same key is run once; a repeat gets the same reply. */
                "idempotency-key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new job. Its images are those of the earlier one. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description The URL of the new job. */
                    location?: string;
                    /** @description Present, and `true`, when an equal request under the key came before. */
                    "idempotent-replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImageJob"];
                };
            };
            /** @description Bad Request: `invalid_request`, `invalid_image_input`, `unsupported_capability`. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            /** @description Not Found: `not_found`, `session_not_found`. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            408: components["responses"]["request_timeout"];
            /** @description Conflict: `job_not_terminal`, `job_succeeded`, `idempotency_conflict`. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            431: components["responses"]["header_too_large"];
            /** @description Internal Server Error: `artifact_error`, `configuration`, `internal_error`. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            503: components["responses"]["overloaded"];
        };
    };
    getJobPartial: {
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
            /** @description The latest partial image, verified. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description Its index among the partial images of its output. */
                    "x-partial-index"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "image/png": string;
                    "image/jpeg": string;
                    "image/webp": string;
                };
            };
            /** @description There is none yet, or the job has ended. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description Its index among the partial images of its output. */
                    "x-partial-index"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    getJobInput: {
        parameters: {
            query?: {
                /** @description true asks browsers to save it. */
                download?: boolean;
            };
            header?: {
                /** @description The etag of a copy that you hold. */
                "if-none-match"?: string;
                /** @description One part of the bytes, such as bytes=0-1023. */
                range?: string;
            };
            path: {
                id: string;
                /** @description From 0 over the images, then the mask, then the references. */
                index: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The verified bytes of the image, as they were sent. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description The quoted SHA-256 of the bytes. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "image/png": string;
                    "image/jpeg": string;
                    "image/webp": string;
                };
            };
            /** @description One range of the bytes. */
            206: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description The quoted SHA-256 of the bytes. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "image/png": string;
                    "image/jpeg": string;
                    "image/webp": string;
                };
            };
            /** @description The client has these bytes. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description The quoted SHA-256 of the bytes. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            416: components["responses"]["range_not_satisfiable"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            /** @description Internal Server Error: `artifact_error`, `internal_error`. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            503: components["responses"]["overloaded"];
        };
    };
    getJobInputThumbnail: {
        parameters: {
            query?: {
                /** @description The longest edge in pixels; a smaller image is never enlarged. */
                edge?: number;
            };
            header?: {
                /** @description The etag of a copy that you hold. */
                "if-none-match"?: string;
            };
            path: {
                id: string;
                /** @description From 0 over the images, then the mask, then the references. */
                index: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A verified PNG, turned as its image is meant to be seen, in sRGB, with its alpha. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description The quoted SHA-256 of the bytes. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "image/png": string;
                };
            };
            /** @description The client has these bytes. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description The quoted SHA-256 of the bytes. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            /** @description Internal Server Error: `artifact_error`, `internal_error`. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            503: components["responses"]["overloaded"];
        };
    };
    streamJob: {
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
            /** @description Events from `snapshot` to `ended`. Every connection begins with the job as it is, so `Last-Event-ID` is not needed. A slow reader gets the latest progress of each output, not every step. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    getQueue: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The queue of the jobs of all tokens. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImageQueue"];
                };
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    updateQueue: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImageQueuePatch"];
            };
        };
        responses: {
            /** @description The queue as it then is. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImageQueue"];
                };
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    listQueueJobs: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The next_cursor of the page before, under the same filters. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of queued and running jobs, the first accepted first. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** Format: uuid */
                            id: string;
                            /**
                             * @description queued or running in the list; after a cancellation, the status that the job then has.
                             * @enum {string}
                             */
                            status: "queued" | "running" | "succeeded" | "failed" | "cancelled" | "interrupted";
                            /** @description How long ago the job was accepted, to the second. */
                            age_ms: number;
                            cancel_requested: boolean;
                            /** @description The name of the token that the job came with. Absent for a caller without a named token. */
                            owner?: string;
                        }[];
                        next_cursor?: string;
                    };
                };
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    cancelQueueJob: {
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
            /** @description The job as it then is. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        /**
                         * @description queued or running in the list; after a cancellation, the status that the job then has.
                         * @enum {string}
                         */
                        status: "queued" | "running" | "succeeded" | "failed" | "cancelled" | "interrupted";
                        /** @description How long ago the job was accepted, to the second. */
                        age_ms: number;
                        cancel_requested: boolean;
                        /** @description The name of the token that the job came with. Absent for a caller without a named token. */
                        owner?: string;
                    };
                };
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    listProviders: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The next_cursor of the page before, under the same filters. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of providers. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderPage"];
                };
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    getProviderCapabilities: {
        parameters: {
            query?: {
                model?: string;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The capability document. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapabilityDocument"];
                };
            };
            /** @description Bad Request: `invalid_request`, `unsupported_capability`. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    listPresets: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The next_cursor of the page before, under the same filters. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of presets. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImagePresetPage"];
                };
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    createPreset: {
        parameters: {
            query?: never;
            header?: {
                /** @description An equal request under the same key is run once; a repeat gets the same reply. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImagePresetCreate"];
            };
        };
        responses: {
            /** @description The stored preset. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description The URL of the preset. */
                    location?: string;
                    /** @description Present, and `true`, when an equal request under the key has created it. */
                    "idempotent-replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImagePreset"];
                };
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            408: components["responses"]["request_timeout"];
            /** @description Conflict: `preset_exists`, `idempotency_conflict`. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    getPreset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stored preset. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImagePreset"];
                };
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    replacePreset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImagePresetReplace"];
            };
        };
        responses: {
            /** @description The stored preset. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImagePreset"];
                };
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    deletePreset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The preset is deleted. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    getSession: {
        parameters: {
            query?: {
                provider?: string;
            };
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key and its thread. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionBinding"];
                };
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            404: components["responses"]["session_not_found"];
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    deleteSession: {
        parameters: {
            query?: {
                provider?: string;
            };
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session and its thread are deleted. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            404: components["responses"]["session_not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["session_busy"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            /** @description Internal Server Error: `configuration`, `internal_error`. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            502: components["responses"]["upstream"];
            /** @description Service Unavailable: `provider_authentication`, `overloaded`. */
            503: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    "retry-after": components["headers"]["retry-after"];
                    "retry-after-ms": components["headers"]["retry-after-ms"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /** @description How many days, the current one included. */
                days?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The usage of the token. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageReport"];
                };
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    getArtifact: {
        parameters: {
            query?: {
                /** @description true asks browsers to save it. */
                download?: boolean;
            };
            header?: {
                /** @description The etag of a copy that you hold. */
                "if-none-match"?: string;
                /** @description One part of the bytes, such as bytes=0-1023. */
                range?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The verified bytes of the image. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description The quoted SHA-256 of the bytes. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "image/png": string;
                    "image/jpeg": string;
                    "image/webp": string;
                };
            };
            /** @description One range of the bytes. */
            206: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description The quoted SHA-256 of the bytes. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "image/png": string;
                    "image/jpeg": string;
                    "image/webp": string;
                };
            };
            /** @description The client has these bytes. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description The quoted SHA-256 of the bytes. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            416: components["responses"]["range_not_satisfiable"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            /** @description Internal Server Error: `artifact_error`, `internal_error`. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            503: components["responses"]["overloaded"];
        };
    };
    getArtifactThumbnail: {
        parameters: {
            query?: {
                /** @description The longest edge in pixels; a smaller image is never enlarged. */
                edge?: number;
            };
            header?: {
                /** @description The etag of a copy that you hold. */
                "if-none-match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A verified PNG, turned as its image is meant to be seen, in sRGB, with its alpha. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description The quoted SHA-256 of the bytes. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "image/png": string;
                };
            };
            /** @description The client has these bytes. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description The quoted SHA-256 of the bytes. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            /** @description Internal Server Error: `artifact_error`, `internal_error`. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    "x-should-retry": components["headers"]["x-should-retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            503: components["responses"]["overloaded"];
        };
    };
    getDiagnostics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Facts and counts, never content. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Diagnostics"];
                };
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
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
            /** @description The metrics in the text format of Prometheus. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    openMcpStream: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream of messages. Clients of the revision 2026-07-28 do not use it. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description Not a message of the protocol, or not one for this session. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpRefusal"] | components["schemas"]["ErrorReply"];
                };
            };
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            /** @description No such session, or no such method. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpRefusal"] | components["schemas"]["ErrorReply"];
                };
            };
            /** @description `accept` lacks what the reply may be. */
            406: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpRefusal"];
                };
            };
            408: components["responses"]["request_timeout"];
            /** @description The session has a stream already. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpRefusal"];
                };
            };
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    callMcp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                } | {
                    [key: string]: unknown;
                }[];
            };
        };
        responses: {
            /** @description The reply of the protocol (Streamable HTTP): a message, or a stream of them. Failures of the protocol have its own shape; a tool that fails says so in its result. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                    "text/event-stream": string;
                };
            };
            /** @description A notification was taken. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not a message of the protocol, or not one for this session. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpRefusal"] | components["schemas"]["ErrorReply"];
                };
            };
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            /** @description No such session, or no such method. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpRefusal"] | components["schemas"]["ErrorReply"];
                };
            };
            /** @description `accept` lacks what the reply may be. */
            406: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpRefusal"];
                };
            };
            408: components["responses"]["request_timeout"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    endMcpSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It has ended. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not a message of the protocol, or not one for this session. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpRefusal"] | components["schemas"]["ErrorReply"];
                };
            };
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            /** @description No such session, or no such method. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpRefusal"] | components["schemas"]["ErrorReply"];
                };
            };
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    getDashboard: {
        parameters: {
            query?: never;
            header?: {
                /** @description The etag of a copy that you hold. */
                "if-none-match"?: string;
                /** @description br and gzip are supported. */
                "accept-encoding"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. It holds no prompts, images or tokens. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description Names these bytes. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The client has these bytes. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description Names these bytes. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    getDashboardAsset: {
        parameters: {
            query?: never;
            header?: {
                /** @description The etag of a copy that you hold. */
                "if-none-match"?: string;
                /** @description br and gzip are supported. */
                "accept-encoding"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A script, a style sheet or an image of the page. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description Names these bytes. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/css": string;
                    "text/javascript": string;
                    "image/svg+xml": string;
                    "image/webp": string;
                };
            };
            /** @description The client has these bytes. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description Names these bytes. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    getDashboardView: {
        parameters: {
            query?: never;
            header?: {
                /** @description The etag of a copy that you hold. */
                "if-none-match"?: string;
                /** @description br and gzip are supported. */
                "accept-encoding"?: string;
            };
            path: {
                view: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page, whatever the view. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description Names these bytes. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The client has these bytes. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description Names these bytes. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    getApiDocument: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The OpenAPI 3.1 document. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            408: components["responses"]["request_timeout"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    jobEnded: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the job. It is the same in every attempt: a receiver knows by it what it has had. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One signature, or two separated by a space while the secret is rotated. Each is `v1,` and the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` in base64. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookMessage"];
            };
        };
        responses: {
            /** @description It is not sent again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Within 15 s: the message was delivered. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It is sent again later, up to seven times. No redirect is followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
