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
         * Check whether the process is running
         * @description The process is running.
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
         * Check whether requests are accepted
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
         * @description The images. All bytes and pixels of each image are verified.
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
         * @description A stream of events. The first event is `started`, and the last event is `completed` or `error`. A request that is rejected before the start receives an ordinary error reply. If the client closes the connection, the work is cancelled, unless the request has an idempotency key.
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
         * Plan an image request without executing it
         * @description One entry per route, in the order in which the routes are tried. The bridge decodes no image, calls no provider and stores nothing. An idempotency key has no effect. All facts that do not depend on the pixels of an image or on a provider call are the same as in the reply to the image request itself.
         */
        post: operations["planImage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plan/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Plan several prompts on several models without executing them
         * @description One entry per route, in the order of the request, with the sums of its plans. Images are described or are artifacts. The bridge decodes no image, calls no provider and stores nothing.
         */
        post: operations["planImageBatch"];
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
         * @description The images. If `stream` is true, the reply is a stream of events: partial images, one `completed` event per image, or an `error`.
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
         * @description The images. If `stream` is true, the reply is a stream of events: partial images, one `completed` event per image, or an `error`.
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
         * @description The queued job, which survives restarts.
         */
        post: operations["createJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/days": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count jobs by day
         * @description The days with jobs.
         */
        get: operations["listJobDays"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/labels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the labels of jobs
         * @description The most used labels.
         */
        get: operations["listJobLabels"];
        put?: never;
        post?: never;
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
         * Follow the changes of all jobs
         * @description A stream of jobs. First an id without an event, then all active jobs, then every job that changes. Each job is sent in its current state. A reader that sends the last id in the header `Last-Event-ID` receives the jobs that have changed since then, also after a restart of the bridge. A slow reader receives a job only once for several changes. With `queue=true`, the queue follows the active jobs, and is sent again whenever it has changed, at most once a second.
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
    "/v1/jobs/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change many jobs
         * @description The numbers of changed and skipped jobs, and the id for undoing the changes.
         */
        post: operations["changeJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/batch/{id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo a change of many jobs
         * @description The numbers of restored and skipped jobs.
         */
        post: operations["undoJobChanges"];
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
         * Read a job, or wait for its end
         * @description The current state of the job.
         */
        get: operations["getJob"];
        put?: never;
        post?: never;
        /**
         * Cancel a job
         * @description The job after the cancellation.
         */
        delete: operations["cancelJob"];
        options?: never;
        head?: never;
        /**
         * Mark, label, move, hide or restore a job
         * @description The changed job.
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
         * Retry a job that failed, was cancelled or was interrupted
         * @description The new job, with the input images of the earlier job.
         */
        post: operations["retryJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}/family": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the family of a job
         * @description The nearest jobs of the family.
         */
        get: operations["getJobFamily"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}/derived": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the jobs that used an image of a job
         * @description One page of jobs.
         */
        get: operations["listDerivedJobs"];
        put?: never;
        post?: never;
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
         * @description The verified bytes of the image, unchanged.
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
         * @description A verified PNG in sRGB with alpha, rotated according to the EXIF orientation of the image.
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
         * @description A stream of events. The first event is `snapshot`, and the last event is `ended`. Every connection begins with the current state of the job, so the header `Last-Event-ID` is not needed. A slow reader receives only the latest progress of each output.
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
    "/v1/prompts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List used prompts
         * @description One page of prompts.
         */
        get: operations["listPrompts"];
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
         * Read the queue
         * @description The queue with the jobs of all tokens.
         */
        get: operations["getQueue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Pause or resume the queue
         * @description The queue after the change.
         */
        patch: operations["updateQueue"];
        trace?: never;
    };
    "/v1/queue/own": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the places of own jobs in the queue
         * @description The queued and running jobs of the caller.
         */
        get: operations["getOwnQueue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
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
         * List the queued and running jobs of all tokens
         * @description One page of queued and running jobs, oldest first.
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
         * @description The job after the cancellation.
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
         * Read the capabilities of a model
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
    "/v1/providers/{name}/reconciliation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compare the recorded costs with the charges of a service
         * @description The comparison of at most 50 calls.
         */
        post: operations["reconcileProvider"];
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
         * @description The session key and its thread.
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
         * Read the usage and the allowance of the token, or the usage of all tokens
         * @description The usage of the token or of all tokens.
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
        /**
         * Mark, hide or annotate an artifact
         * @description The changed image.
         */
        patch: operations["updateArtifact"];
        trace?: never;
    };
    "/v1/artifacts/{id}/crop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Crop an artifact without a model, free of charge
         * @description The job of the crop, whose result is a new artifact.
         */
        post: operations["cropArtifact"];
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
         * @description A verified PNG in sRGB with alpha, rotated according to the EXIF orientation of the image.
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
    "/v1/artifacts/{id}/credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the credentials of an artifact
         * @description The result of the check, with the chain of manifests.
         */
        get: operations["getArtifactCredentials"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/artifacts/{id}/manifest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the manifest of an artifact
         * @description The manifest store of the image, with the manifests of its originals. The store is not checked.
         */
        get: operations["getArtifactManifest"];
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
         * Read the diagnostics
         * @description Facts and counts, never the content of requests.
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
         * Read the metrics
         * @description The metrics in the Prometheus text format.
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
         * Listen to a Model Context Protocol session
         * @description A stream of messages. Clients of the revision 2026-07-28 do not use this stream.
         */
        get: operations["openMcpStream"];
        put?: never;
        /**
         * Send a Model Context Protocol message
         * @description The reply of the Model Context Protocol (Streamable HTTP): a message or a stream of messages. Errors have the format that the protocol defines. If a tool fails, its result contains the error.
         */
        post: operations["callMcp"];
        /**
         * End a Model Context Protocol session
         * @description The session has ended.
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
         * @description The page, which contains no prompts, images or tokens.
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
         * @description The page. All views have the same page.
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
         * Read this document
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
         * @description Sent to the `webhook` of the job, or to server.webhooks.default_url, if server.webhooks.enabled is on. Each message is sent at least once; the order is not guaranteed. The Standard Webhooks libraries verify the message.
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
            /** @description A description of the image. The prompt and `negative_prompt` together have at most 12288 bytes of UTF-8. */
            prompt: string;
            /** @description The images to edit: at least one for an edit, none for a generation. */
            images?: components["schemas"]["ImageInput"][] | null;
            /** @description For an edit: an image with an alpha channel and the dimensions of the first image. Pixels with alpha 0 may change, pixels with alpha 255 must not. */
            mask?: components["schemas"]["ImageInput"] | null;
            /** @description Images that guide the result. */
            reference_images?: components["schemas"]["ImageInput"][] | null;
            /** @description Same as the header Idempotency-Key. Equal requests with the same key are executed once. */
            idempotency_key?: string | null;
            /**
             * @description Default: `generate`.
             * @enum {string|null}
             */
            operation?: "generate" | "edit" | null;
            /** @description Content to avoid. The prompt and the negative prompt together have at most 12288 bytes of UTF-8. */
            negative_prompt?: string | null;
            parameters?: components["schemas"]["ImageRequestParameters"] | null;
            output?: components["schemas"]["ImageOutput"] | null;
            routing?: components["schemas"]["ImageRouting"] | null;
            session?: components["schemas"]["ImageSession"] | null;
            policies?: components["schemas"]["ImagePolicies"] | null;
            /** @description The deadline of the whole operation, in milliseconds. */
            timeout_ms?: number | null;
            /** @description A caller-defined identifier of the end user. */
            user?: string | null;
            /** @description Caller-defined pairs, stored with the job and in the metadata record. They are never sent to a provider. */
            metadata?: {
                [key: string]: string;
            } | null;
        };
        ImageInput: {
            /** @constant */
            type: "data_url";
            /** @description A data URL such as `data:image/png;base64,…`; jpeg and webp are accepted too. */
            data_url: string;
            /** @description Only in `images[0]`: the rectangle to which the bridge crops or extends the image before the edit. A part beyond the image repeats its edge pixels and, without a `mask`, becomes the mask, so that only this part is drawn. */
            canvas?: {
                /** @description The left edge in the pixels of the image. Negative beyond its left edge. */
                x: number;
                /** @description The upper edge in the pixels of the image. Negative above its upper edge. */
                y: number;
                /** @description The width in pixels. */
                width: number;
                /** @description The height in pixels. */
                height: number;
            } | null;
            /** @description A name for display only. */
            filename?: string | null;
            /** @description The declared media type. The image is rejected if its bytes have a different type. */
            media_type?: string | null;
        } | {
            /** @constant */
            type: "base64";
            /** @description The image in base64 (RFC 4648, section 4), padded and without white space. */
            data: string;
            /** @description Only in `images[0]`: the rectangle to which the bridge crops or extends the image before the edit. A part beyond the image repeats its edge pixels and, without a `mask`, becomes the mask, so that only this part is drawn. */
            canvas?: {
                /** @description The left edge in the pixels of the image. Negative beyond its left edge. */
                x: number;
                /** @description The upper edge in the pixels of the image. Negative above its upper edge. */
                y: number;
                /** @description The width in pixels. */
                width: number;
                /** @description The height in pixels. */
                height: number;
            } | null;
            /** @description A name for display only. */
            filename?: string | null;
            /** @description The declared media type. The image is rejected if its bytes have a different type. */
            media_type?: string | null;
        } | {
            /** @constant */
            type: "artifact";
            /** @description The id of an image that this bridge made for the same token. */
            artifact_id: string;
            /** @description Only in `images[0]`: the rectangle to which the bridge crops or extends the image before the edit. A part beyond the image repeats its edge pixels and, without a `mask`, becomes the mask, so that only this part is drawn. */
            canvas?: {
                /** @description The left edge in the pixels of the image. Negative beyond its left edge. */
                x: number;
                /** @description The upper edge in the pixels of the image. Negative above its upper edge. */
                y: number;
                /** @description The width in pixels. */
                width: number;
                /** @description The height in pixels. */
                height: number;
            } | null;
            /** @description A name for display only. */
            filename?: string | null;
            /** @description The declared media type. The image is rejected if its bytes have a different type. */
            media_type?: string | null;
        } | {
            /** @constant */
            type: "url";
            /** @description An https URL. Requires the setting `inputs.remote.enabled`. */
            url: string;
            /** @description Only in `images[0]`: the rectangle to which the bridge crops or extends the image before the edit. A part beyond the image repeats its edge pixels and, without a `mask`, becomes the mask, so that only this part is drawn. */
            canvas?: {
                /** @description The left edge in the pixels of the image. Negative beyond its left edge. */
                x: number;
                /** @description The upper edge in the pixels of the image. Negative above its upper edge. */
                y: number;
                /** @description The width in pixels. */
                width: number;
                /** @description The height in pixels. */
                height: number;
            } | null;
            /** @description A name for display only. */
            filename?: string | null;
            /** @description The declared media type. The image is rejected if its bytes have a different type. */
            media_type?: string | null;
        };
        ImageRequestParameters: {
            /** @description The number of images. Default: `1`. */
            n?: number | null;
            /** @description The width and height in pixels, such as 1536x1024, or auto. Default: `auto`. */
            size?: string | null;
            /** @description An aspect ratio such as 16:9, instead of a size. */
            aspect_ratio?: string | null;
            /** @description An approximate resolution, instead of a size. */
            resolution?: ("1k" | "2k" | "4k") | null;
            /**
             * @description The quality. xhigh and max are only available if the capability document lists them. Default: `auto`.
             * @enum {string|null}
             */
            quality?: "auto" | "low" | "medium" | "high" | "xhigh" | "max" | null;
            /**
             * @description png if omitted.
             * @enum {string|null}
             */
            output_format?: "png" | "jpeg" | "webp" | null;
            /** @description The encoding quality; only for jpeg and webp. */
            output_compression?: number | null;
            /**
             * @description The background. If the provider does not support transparency, the bridge removes the background. Default: `auto`.
             * @enum {string|null}
             */
            background?: "auto" | "opaque" | "transparent" | null;
            /**
             * @description Default: `auto`.
             * @enum {string|null}
             */
            moderation?: "auto" | "low" | null;
            /** @description The number of partial images to send before the final image. Default: `0`. */
            partial_images?: number | null;
            /**
             * @description best_effort returns the images that succeeded and lists the failures. Default: `fail_fast`.
             * @enum {string|null}
             */
            failure_policy?: "fail_fast" | "best_effort" | null;
            /**
             * @description The action that the model is instructed to perform; auto follows the operation. Default: `auto`.
             * @enum {string|null}
             */
            action?: "auto" | "generate" | "edit" | null;
            /** @description The fidelity to the input images. */
            input_fidelity?: ("low" | "high") | null;
            /**
             * @description The computation that the model spends on planning the image. A value that the capability document does not list is rejected with the compatibility `strict`, and ignored with any other.
             * @enum {string|null}
             */
            complexity?: "low" | "medium" | "high" | null;
        };
        ImageOutput: {
            /**
             * @description The delivery of images. metadata verifies and describes the images without keeping them. Jobs always use artifact. Default: `b64_json`.
             * @enum {string|null}
             */
            response_format?: "b64_json" | "artifact" | "url" | "metadata" | null;
            /** @description A directory relative to the artifact root, or to the folder of the owner if a named token is used: portable names of at most 512 bytes. Only for artifact and url delivery. */
            directory?: string | null;
            /** @description The filename of a single image; the extension is optional. Only for artifact and url delivery. */
            filename?: string | null;
            /** @description A prefix for generated filenames, instead of a filename. Only for artifact and url delivery. */
            filename_prefix?: string | null;
            /**
             * @description The action if the filename exists: error rejects the request, suffix tries -2, -3 and so on. Default: `error`.
             * @enum {string|null}
             */
            collision?: "error" | "suffix" | null;
            /**
             * @description The location of the ImageMetadataRecord: in a sidecar file (artifact delivery only), embedded in the image, or both. Default: `none`.
             * @enum {string|null}
             */
            metadata?: "none" | "sidecar" | "embedded" | "sidecar_and_embedded" | null;
            transparency?: components["schemas"]["ImageTransparency"] | null;
        };
        ImageTransparency: {
            /**
             * @description auto uses the alpha channel of the provider if available, else removes a flat background. Default: `auto`.
             * @enum {string|null}
             */
            mode?: "auto" | "native" | "chroma_key" | null;
            /** @description The background colour to request and remove. Chosen by the bridge if omitted. */
            key_color?: string | null;
            /** @description Pixels up to this distance from the key colour become transparent; must be below opaque_threshold. Default: `12`. */
            transparent_threshold?: number | null;
            /** @description Pixels at or above this distance from the key colour stay opaque. Default: `96`. */
            opaque_threshold?: number | null;
            /** @description Removes the key colour from the edges of the subject. Default: `true`. */
            despill?: boolean | null;
        };
        ImageRouting: {
            /** @description A provider name from GET /v1/providers. */
            provider?: string | null;
            /** @description A model. Without a provider, the request goes to the default provider if it lists the model, else to the first provider by name that lists the model. */
            model?: string | null;
            /** @description Alternative routes, tried in order. Only for isolated sessions. */
            fallbacks?: components["schemas"]["ImageRoute"][] | null;
            /**
             * @description on_error also tries a fallback after a failure with a known outcome. Default: `on_unavailable`.
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
             * @description The memory of the provider: none (isolated), under a key that you choose (persistent), or in a thread that the provider named (thread). Default: `isolated`.
             * @enum {string|null}
             */
            mode?: "isolated" | "persistent" | "thread" | null;
            /** @description The session key. Required for persistent sessions, not allowed otherwise. */
            key?: string | null;
            /** @description The thread id. Required for thread sessions, not allowed otherwise. */
            thread_id?: string | null;
        };
        ImagePolicies: {
            /**
             * @description The handling of values that the provider does not support: strict rejects them, normalize replaces them by the nearest supported value, and best_effort also drops them. Every change is reported. Default: `strict`.
             * @enum {string|null}
             */
            compatibility?: "strict" | "normalize" | "best_effort" | null;
            /**
             * @description The transfer of the negative prompt: as a separate field (native) or as a part of the prompt (merge). Default: `auto`.
             * @enum {string|null}
             */
            negative_prompt?: "auto" | "native" | "merge" | "reject" | null;
            /**
             * @description The handling of the prompt that the provider rewrote. Default: `include`.
             * @enum {string|null}
             */
            revised_prompt?: "include" | "omit" | "require" | null;
            /**
             * @description The order of the calls for several images; parallel requires an isolated session. Default: `auto`.
             * @enum {string|null}
             */
            batch_execution?: "auto" | "sequential" | "parallel" | null;
        };
        ImageJobCreate: {
            /** @description Default: `1`. */
            version?: "1" | null;
            /** @description A description of the image. The prompt and `negative_prompt` together have at most 12288 bytes of UTF-8. */
            prompt: string;
            /** @description The images to edit: at least one for an edit, none for a generation. */
            images?: components["schemas"]["ImageInput"][] | null;
            /** @description For an edit: an image with an alpha channel and the dimensions of the first image. Pixels with alpha 0 may change, pixels with alpha 255 must not. */
            mask?: components["schemas"]["ImageInput"] | null;
            /** @description Images that guide the result. */
            reference_images?: components["schemas"]["ImageInput"][] | null;
            /** @description Same as the header Idempotency-Key. Equal requests with the same key are executed once. */
            idempotency_key?: string | null;
            /**
             * @description Default: `generate`.
             * @enum {string|null}
             */
            operation?: "generate" | "edit" | null;
            /** @description Content to avoid. The prompt and the negative prompt together have at most 12288 bytes of UTF-8. */
            negative_prompt?: string | null;
            parameters?: components["schemas"]["ImageRequestParameters"] | null;
            output?: components["schemas"]["ImageOutput"] | null;
            routing?: components["schemas"]["ImageRouting"] | null;
            session?: components["schemas"]["ImageSession"] | null;
            policies?: components["schemas"]["ImagePolicies"] | null;
            /** @description The deadline of the whole operation, in milliseconds. */
            timeout_ms?: number | null;
            /** @description A caller-defined identifier of the end user. */
            user?: string | null;
            /** @description Caller-defined pairs, stored with the job and in the metadata record. They are never sent to a provider. */
            metadata?: {
                [key: string]: string;
            } | null;
            /** @description Orders the queued jobs of the caller: highest priority first, then in the order of acceptance. Tokens take turns, independent of the priorities of their jobs. Default: `0`. */
            priority?: number | null;
            /** @description Labels to find the job by, at most 16; equal labels are stored once. A label has 1 to 64 characters of any script, at most 512 bytes of UTF-8, without control characters. Spaces at both ends are removed, and the text is stored in the Unicode form NFC. Labels are compared exactly, and can be changed later. */
            labels?: string[] | null;
            /** @description The group to which the job belongs, and its place there. Never sent to a provider. */
            group?: components["schemas"]["ImageJobGroup"] | null;
            /** @description The webhook that receives the ended job. Requires the setting `server.webhooks.enabled`. */
            webhook?: components["schemas"]["ImageJobWebhook"] | null;
        };
        ImageJobPatch: {
            favorite?: boolean | null;
            /** @description true hides an ended job, false restores it. */
            deleted?: boolean | null;
            /** @description Replaces all labels of the job. An empty list removes the labels. */
            labels?: string[] | null;
            /** @description Changes the place of a queued job among the queued jobs of the caller. */
            priority?: number | null;
        };
        ImageArtifactPatch: {
            /** @description true marks the image, and its job, as a favourite. false removes the mark of the image, and with the last one the mark of the job. */
            favorite?: boolean | null;
            /** @description true hides the image, and its job if all its images are hidden. false shows the image, and its job. */
            hidden?: boolean | null;
            /** @description A note on the image. An empty text removes the note. */
            note?: string | null;
        };
        ImageJobWebhook: {
            /** @description An https URL, or an http URL on loopback, with a host listed in `server.webhooks.allowed_hosts`. */
            url: string;
            /** @description The final statuses to send; all if omitted. */
            events?: ("succeeded" | "failed" | "cancelled" | "interrupted")[] | null;
        };
        ImageQueuePatch: {
            /** @description true pauses the queue, false resumes it. The state survives a restart. */
            paused: boolean;
        };
        ImageJobBatch: {
            /**
             * @description The change of each job. `cancel` changes queued jobs, and running jobs only with `running`.
             * @enum {string}
             */
            action: "cancel" | "hide" | "restore" | "favorite" | "unfavorite" | "label" | "priority";
            /** @description The jobs to change. Required without `filter`. */
            ids?: string[] | null;
            /** @description Selects the jobs to change. Required without `ids`, and only with `expected_count`. */
            filter?: {
                /** @enum {string|null} */
                status?: "queued" | "running" | "succeeded" | "failed" | "cancelled" | "interrupted" | null;
                /**
                 * @description The visibility of the selected jobs. Default: `active`.
                 * @enum {string|null}
                 */
                visibility?: "active" | "hidden" | "all" | null;
                favorite?: boolean | null;
                label?: string | null;
                group?: string | null;
                provider?: string | null;
                /** @description Only jobs of this model. */
                model?: string | null;
                /** @description Only jobs whose first image has this size: WxH in pixels, or a ratio W:H, which may differ by 1 %. A job without images has the requested size. auto selects jobs that requested no size. */
                size?: string | null;
                /**
                 * @description Only jobs with this operation.
                 * @enum {string|null}
                 */
                operation?: "generate" | "edit" | null;
                /** @description Only jobs that were accepted at this time or later, in Unix seconds. */
                created_after?: number | null;
                /** @description Only jobs that were accepted before this time, in Unix seconds. */
                created_before?: number | null;
                /** @description A literal part of the prompt. */
                search?: string | null;
                /** @description Words that the prompt contains in any order, without regard to case. `"a b"` is an exact phrase; `-a` and `-"a b"` exclude. A word also matches inside a longer word. At most 16 words and phrases. */
                q?: string | null;
            } | null;
            /** @description The number of jobs that the filter is expected to select. If more jobs match, no job is changed. */
            expected_count?: number | null;
            /** @description Only for `cancel`: true also cancels running jobs. Default: `false`. */
            running?: boolean | null;
            /** @description Only for `label`: the labels to add. */
            add_labels?: string[] | null;
            /** @description Only for `label`: the labels to remove. */
            remove_labels?: string[] | null;
            /** @description Only for `priority`, and required: the new priority of queued jobs. */
            priority?: number | null;
        };
        ImagePresetTemplate: {
            /**
             * @description Default: `generate`.
             * @enum {string|null}
             */
            operation?: "generate" | "edit" | null;
            /** @description Content to avoid. The prompt and the negative prompt together have at most 12288 bytes of UTF-8. */
            negative_prompt?: string | null;
            parameters?: components["schemas"]["ImageRequestParameters"] | null;
            output?: components["schemas"]["ImageOutput"] | null;
            routing?: components["schemas"]["ImageRouting"] | null;
            session?: components["schemas"]["ImageSession"] | null;
            policies?: components["schemas"]["ImagePolicies"] | null;
            /** @description The deadline of the whole operation, in milliseconds. */
            timeout_ms?: number | null;
            /** @description A caller-defined identifier of the end user. */
            user?: string | null;
            /** @description Caller-defined pairs, stored with the job and in the metadata record. They are never sent to a provider. */
            metadata?: {
                [key: string]: string;
            } | null;
            /** @description The prompt. If omitted, the prompt is given when the preset is used. */
            prompt?: string | null;
        };
        ImagePresetCreate: {
            name: string;
            /** @description The display name; `name` if omitted. A title has 1 to 64 characters of any script, at most 512 bytes of UTF-8, without control characters. Spaces at both ends are removed, and the text is stored in the Unicode form NFC. */
            title?: string | null;
            description?: string | null;
            template: components["schemas"]["ImagePresetTemplate"];
        };
        ImagePresetReplace: {
            /** @description The display name; `name` if omitted. A title has 1 to 64 characters of any script, at most 512 bytes of UTF-8, without control characters. Spaces at both ends are removed, and the text is stored in the Unicode form NFC. */
            title?: string | null;
            description?: string | null;
            template: components["schemas"]["ImagePresetTemplate"];
        };
        ImagePlanBody: components["schemas"]["ImagePlanRequest"] | components["schemas"]["OpenAiPlanRequest"];
        ImagePlanRequest: {
            /** @description Default: `1`. */
            version?: "1" | null;
            /** @description A description of the image. The prompt and `negative_prompt` together have at most 12288 bytes of UTF-8. */
            prompt: string;
            /** @description The images to edit: at least one for an edit, none for a generation. */
            images?: components["schemas"]["ImagePlanInput"][] | null;
            /** @description For an edit: an image with an alpha channel and the dimensions of the first image. Pixels with alpha 0 may change, pixels with alpha 255 must not. */
            mask?: components["schemas"]["ImagePlanInput"] | null;
            /** @description Images that guide the result. */
            reference_images?: components["schemas"]["ImagePlanInput"][] | null;
            /** @description Same as the header Idempotency-Key. Equal requests with the same key are executed once. */
            idempotency_key?: string | null;
            /**
             * @description Default: `generate`.
             * @enum {string|null}
             */
            operation?: "generate" | "edit" | null;
            /** @description Content to avoid. The prompt and the negative prompt together have at most 12288 bytes of UTF-8. */
            negative_prompt?: string | null;
            parameters?: components["schemas"]["ImageRequestParameters"] | null;
            output?: components["schemas"]["ImageOutput"] | null;
            routing?: components["schemas"]["ImageRouting"] | null;
            session?: components["schemas"]["ImageSession"] | null;
            policies?: components["schemas"]["ImagePolicies"] | null;
            /** @description The deadline of the whole operation, in milliseconds. */
            timeout_ms?: number | null;
            /** @description A caller-defined identifier of the end user. */
            user?: string | null;
            /** @description Caller-defined pairs, stored with the job and in the metadata record. They are never sent to a provider. */
            metadata?: {
                [key: string]: string;
            } | null;
        };
        ImagePlanInput: components["schemas"]["ImageInput"] | components["schemas"]["DescribedImage"];
        ImagePlanBatch: {
            /** @description Default: `1`. */
            version?: "1" | null;
            /** @description The images to edit: at least one for an edit, none for a generation. */
            images?: ({
                /** @constant */
                type: "artifact";
                /** @description The id of an image that this bridge made for the same token. */
                artifact_id: string;
                /** @description Only in `images[0]`: the rectangle to which the bridge crops or extends the image before the edit. A part beyond the image repeats its edge pixels and, without a `mask`, becomes the mask, so that only this part is drawn. */
                canvas?: {
                    /** @description The left edge in the pixels of the image. Negative beyond its left edge. */
                    x: number;
                    /** @description The upper edge in the pixels of the image. Negative above its upper edge. */
                    y: number;
                    /** @description The width in pixels. */
                    width: number;
                    /** @description The height in pixels. */
                    height: number;
                } | null;
                /** @description A name for display only. */
                filename?: string | null;
                /** @description The declared media type. The image is rejected if its bytes have a different type. */
                media_type?: string | null;
            } | components["schemas"]["DescribedImage"])[] | null;
            /** @description For an edit: an image with an alpha channel and the dimensions of the first image. Pixels with alpha 0 may change, pixels with alpha 255 must not. */
            mask?: ({
                /** @constant */
                type: "artifact";
                /** @description The id of an image that this bridge made for the same token. */
                artifact_id: string;
                /** @description Only in `images[0]`: the rectangle to which the bridge crops or extends the image before the edit. A part beyond the image repeats its edge pixels and, without a `mask`, becomes the mask, so that only this part is drawn. */
                canvas?: {
                    /** @description The left edge in the pixels of the image. Negative beyond its left edge. */
                    x: number;
                    /** @description The upper edge in the pixels of the image. Negative above its upper edge. */
                    y: number;
                    /** @description The width in pixels. */
                    width: number;
                    /** @description The height in pixels. */
                    height: number;
                } | null;
                /** @description A name for display only. */
                filename?: string | null;
                /** @description The declared media type. The image is rejected if its bytes have a different type. */
                media_type?: string | null;
            } | components["schemas"]["DescribedImage"]) | null;
            /** @description Images that guide the result. */
            reference_images?: ({
                /** @constant */
                type: "artifact";
                /** @description The id of an image that this bridge made for the same token. */
                artifact_id: string;
                /** @description Only in `images[0]`: the rectangle to which the bridge crops or extends the image before the edit. A part beyond the image repeats its edge pixels and, without a `mask`, becomes the mask, so that only this part is drawn. */
                canvas?: {
                    /** @description The left edge in the pixels of the image. Negative beyond its left edge. */
                    x: number;
                    /** @description The upper edge in the pixels of the image. Negative above its upper edge. */
                    y: number;
                    /** @description The width in pixels. */
                    width: number;
                    /** @description The height in pixels. */
                    height: number;
                } | null;
                /** @description A name for display only. */
                filename?: string | null;
                /** @description The declared media type. The image is rejected if its bytes have a different type. */
                media_type?: string | null;
            } | components["schemas"]["DescribedImage"])[] | null;
            /**
             * @description Default: `generate`.
             * @enum {string|null}
             */
            operation?: "generate" | "edit" | null;
            /** @description Content to avoid. The prompt and the negative prompt together have at most 12288 bytes of UTF-8. */
            negative_prompt?: string | null;
            parameters?: components["schemas"]["ImageRequestParameters"] | null;
            output?: components["schemas"]["ImageOutput"] | null;
            policies?: components["schemas"]["ImagePolicies"] | null;
            /** @description The deadline of the whole operation, in milliseconds. */
            timeout_ms?: number | null;
            /** @description A caller-defined identifier of the end user. */
            user?: string | null;
            /** @description Caller-defined pairs, stored with the job and in the metadata record. They are never sent to a provider. */
            metadata?: {
                [key: string]: string;
            } | null;
            /** @description The prompts. Each prompt and `negative_prompt` together have at most 12288 bytes of UTF-8. */
            prompts: string[];
            /** @description The models, each with its provider. */
            routes: components["schemas"]["ImageRoute"][];
        };
        ImageJobGroup: {
            /** @description The id of the group, chosen by the caller: 1 to 64 of the characters A-Z a-z 0-9 . _ - */
            id: string;
            /** @description The row of the job, from 0 to 999. */
            row: number;
            /** @description The column of the job, from 0 to 999. */
            column: number;
        };
        DescribedImage: {
            /** @constant */
            type: "described";
            /** @enum {string} */
            format: "png" | "jpeg" | "webp";
            /** @description The width in pixels, after rotation according to the EXIF orientation. */
            width: number;
            /** @description The height in pixels, after rotation according to the EXIF orientation. */
            height: number;
            /** @description The size of the encoded image, in bytes. */
            bytes: number;
            /** @description Only in `images[0]`: the rectangle to which the bridge crops or extends the image before the edit. A part beyond the image repeats its edge pixels and, without a `mask`, becomes the mask, so that only this part is drawn. */
            canvas?: {
                /** @description The left edge in the pixels of the image. Negative beyond its left edge. */
                x: number;
                /** @description The upper edge in the pixels of the image. Negative above its upper edge. */
                y: number;
                /** @description The width in pixels. */
                width: number;
                /** @description The height in pixels. */
                height: number;
            } | null;
        };
        OpenAiImageGeneration: {
            /** @description A description of the image. */
            prompt: string;
            /** @description A model id from GET /v1/models, or provider/model. */
            model?: string | null;
            size?: string | null;
            /**
             * @description The quality. standard means medium, hd means high.
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
             * @description The delivery of images; b64_json if omitted. A stream always contains b64_json.
             * @enum {string|null}
             */
            response_format?: "b64_json" | "url" | null;
            user?: string | null;
            /** @description Takes precedence over `user` unless it is empty. */
            safety_identifier?: string | null;
            /** @enum {string|null} */
            input_fidelity?: "low" | "high" | null;
            /**
             * @description The computation that the model spends on planning the image. A value that the capability document does not list is rejected with the compatibility `strict`, and ignored with any other.
             * @enum {string|null}
             */
            complexity?: "low" | "medium" | "high" | null;
            markup?: unknown | null;
            n?: number | null;
            output_compression?: number | null;
            partial_images?: number | null;
            /** @description If true, the reply is a stream of events. */
            stream?: boolean | null;
            bridge_ext?: components["schemas"]["OpenAiBridgeExt"] | null;
            style?: unknown;
            frame_count?: unknown;
            mask?: unknown | null;
        };
        OpenAiImageEdit: {
            /** @description A description of the image. */
            prompt: string;
            /** @description A model id from GET /v1/models, or provider/model. */
            model?: string | null;
            size?: string | null;
            /**
             * @description The quality. standard means medium, hd means high.
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
             * @description The delivery of images; b64_json if omitted. A stream always contains b64_json.
             * @enum {string|null}
             */
            response_format?: "b64_json" | "url" | null;
            user?: string | null;
            /** @description Takes precedence over `user` unless it is empty. */
            safety_identifier?: string | null;
            /** @enum {string|null} */
            input_fidelity?: "low" | "high" | null;
            /**
             * @description The computation that the model spends on planning the image. A value that the capability document does not list is rejected with the compatibility `strict`, and ignored with any other.
             * @enum {string|null}
             */
            complexity?: "low" | "medium" | "high" | null;
            markup?: unknown | null;
            n?: number | null;
            output_compression?: number | null;
            partial_images?: number | null;
            /** @description If true, the reply is a stream of events. */
            stream?: boolean | null;
            bridge_ext?: components["schemas"]["OpenAiBridgeExt"] | null;
            style?: unknown;
            frame_count?: unknown;
            provider?: string | null;
            negative_prompt?: string | null;
            /**
             * @description Same as in the native request, except that the default is `normalize`.
             * @enum {string|null}
             */
            compatibility?: "strict" | "normalize" | "best_effort" | null;
            /** @enum {string|null} */
            revised_prompt?: "include" | "omit" | "require" | null;
            session_key?: string | null;
            images: {
                /** @description The image as a data URL. */
                image_url: string;
            }[];
            mask?: {
                /** @description The image as a data URL. */
                image_url: string;
            } | null;
        };
        OpenAiImageEditForm: {
            /** @description The images to edit, in order. At least one image is required. */
            image?: string[];
            /** @description Alias of `image` that some clients send. */
            "image[]"?: string[];
            /**
             * Format: binary
             * @description An image with an alpha channel and the dimensions of the first image.
             */
            mask?: string;
            /** @description Images that guide the result. */
            reference_image?: string[];
            /** @description Alias of `reference_image` that some clients send. */
            "reference_image[]"?: string[];
            /** @description A description of the image. */
            prompt: string;
            /** @description A model id from GET /v1/models, or provider/model. */
            model?: string;
            size?: string;
            /**
             * @description The quality. standard means medium, hd means high.
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
             * @description The delivery of images; b64_json if omitted. A stream always contains b64_json.
             * @enum {string}
             */
            response_format?: "b64_json" | "url";
            user?: string;
            /** @description Takes precedence over `user` unless it is empty. */
            safety_identifier?: string;
            /** @enum {string} */
            input_fidelity?: "low" | "high";
            /**
             * @description The computation that the model spends on planning the image. A value that the capability document does not list is rejected with the compatibility `strict`, and ignored with any other.
             * @enum {string}
             */
            complexity?: "low" | "medium" | "high";
            markup?: unknown;
            provider?: string | null;
            negative_prompt?: string;
            /**
             * @description Same as in the native request, except that the default is `normalize`.
             * @enum {string}
             */
            compatibility?: "strict" | "normalize" | "best_effort";
            /** @enum {string} */
            revised_prompt?: "include" | "omit" | "require";
            session_key?: string;
            n?: number;
            output_compression?: number;
            partial_images?: number;
            /** @description If true, the reply is a stream of events. */
            stream?: boolean;
            /** @description A text part with the JSON of a BridgeExt. */
            bridge_ext?: string;
            style?: string;
            frame_count?: string;
        };
        OpenAiBridgeExt: {
            provider?: string | null;
            negative_prompt?: string | null;
            /** @enum {string|null} */
            negative_prompt_mode?: "auto" | "native" | "merge" | "reject" | null;
            /**
             * @description Same as in the native request, except that the default is `normalize`.
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
            /** @description Alternative routes, tried in order. */
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
            /** @description The JSON body of POST /v1/images/generations or /v1/images/edits, with `operation` to select the route. */
            openai: components["schemas"]["OpenAiGenerationPlan"] | components["schemas"]["OpenAiEditPlan"];
        };
        OpenAiGenerationPlan: {
            /** @constant */
            operation: "generate";
            /** @description A description of the image. */
            prompt: string;
            /** @description A model id from GET /v1/models, or provider/model. */
            model?: string | null;
            size?: string | null;
            /**
             * @description The quality. standard means medium, hd means high.
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
             * @description The delivery of images; b64_json if omitted. A stream always contains b64_json.
             * @enum {string|null}
             */
            response_format?: "b64_json" | "url" | null;
            user?: string | null;
            /** @description Takes precedence over `user` unless it is empty. */
            safety_identifier?: string | null;
            /** @enum {string|null} */
            input_fidelity?: "low" | "high" | null;
            /**
             * @description The computation that the model spends on planning the image. A value that the capability document does not list is rejected with the compatibility `strict`, and ignored with any other.
             * @enum {string|null}
             */
            complexity?: "low" | "medium" | "high" | null;
            markup?: unknown | null;
            n?: number | null;
            output_compression?: number | null;
            partial_images?: number | null;
            /** @description If true, the reply is a stream of events. */
            stream?: boolean | null;
            bridge_ext?: {
                provider?: string | null;
                negative_prompt?: string | null;
                /** @enum {string|null} */
                negative_prompt_mode?: "auto" | "native" | "merge" | "reject" | null;
                /**
                 * @description Same as in the native request, except that the default is `normalize`.
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
                /** @description Alternative routes, tried in order. */
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
            frame_count?: unknown;
            mask?: unknown | null;
        };
        OpenAiEditPlan: {
            /** @constant */
            operation: "edit";
            /** @description A description of the image. */
            prompt: string;
            /** @description A model id from GET /v1/models, or provider/model. */
            model?: string | null;
            size?: string | null;
            /**
             * @description The quality. standard means medium, hd means high.
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
             * @description The delivery of images; b64_json if omitted. A stream always contains b64_json.
             * @enum {string|null}
             */
            response_format?: "b64_json" | "url" | null;
            user?: string | null;
            /** @description Takes precedence over `user` unless it is empty. */
            safety_identifier?: string | null;
            /** @enum {string|null} */
            input_fidelity?: "low" | "high" | null;
            /**
             * @description The computation that the model spends on planning the image. A value that the capability document does not list is rejected with the compatibility `strict`, and ignored with any other.
             * @enum {string|null}
             */
            complexity?: "low" | "medium" | "high" | null;
            markup?: unknown | null;
            n?: number | null;
            output_compression?: number | null;
            partial_images?: number | null;
            /** @description If true, the reply is a stream of events. */
            stream?: boolean | null;
            bridge_ext?: {
                provider?: string | null;
                negative_prompt?: string | null;
                /** @enum {string|null} */
                negative_prompt_mode?: "auto" | "native" | "merge" | "reject" | null;
                /**
                 * @description Same as in the native request, except that the default is `normalize`.
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
                /** @description Alternative routes, tried in order. */
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
            frame_count?: unknown;
            provider?: string | null;
            negative_prompt?: string | null;
            /**
             * @description Same as in the native request, except that the default is `normalize`.
             * @enum {string|null}
             */
            compatibility?: "strict" | "normalize" | "best_effort" | null;
            /** @enum {string|null} */
            revised_prompt?: "include" | "omit" | "require" | null;
            session_key?: string | null;
            images: ({
                /** @description The image as a data URL. */
                image_url: string;
            } | components["schemas"]["DescribedImage"])[];
            mask?: ({
                /** @description The image as a data URL. */
                image_url: string;
            } | components["schemas"]["DescribedImage"]) | null;
        };
        ErrorReply: {
            error: {
                message: string;
                type: string;
                /** @description The first field at fault, such as parameters.n. */
                param: string | null;
                /** @description The error code that OpenAI clients evaluate. */
                code: string;
                bridge_ext: {
                    /**
                     * @description The stable name of this kind of failure.
                     * @enum {string}
                     */
                    code: "invalid_request" | "input" | "unsupported_capability" | "authentication" | "permission_denied" | "safety_rejected" | "not_found" | "conflict" | "idempotency_conflict" | "rate_limited" | "overloaded" | "timeout" | "cancelled" | "upstream" | "protocol" | "artifact" | "configuration" | "internal";
                    /** @description True if the same request may be sent again. */
                    retryable: boolean;
                    provider?: string;
                    upstream_request_id?: string;
                    /** @description Facts about the failure, such as issues, supported_models, outcome or retry_after_ms. */
                    details: {
                        [key: string]: unknown;
                    };
                    /** @description Actions that may solve the problem, best first. */
                    suggestions: string[];
                };
            };
            /** @description Same as the header x-request-id. */
            request_id: string;
        };
        BridgeError: {
            /**
             * @description The stable name of this kind of failure.
             * @enum {string}
             */
            code: "invalid_request" | "input" | "unsupported_capability" | "authentication" | "permission_denied" | "safety_rejected" | "not_found" | "conflict" | "idempotency_conflict" | "rate_limited" | "overloaded" | "timeout" | "cancelled" | "upstream" | "protocol" | "artifact" | "configuration" | "internal";
            /** @description True if the same request may be sent again. */
            retryable: boolean;
            provider?: string;
            upstream_request_id?: string;
            /** @description Facts about the failure, such as issues, supported_models, outcome or retry_after_ms. */
            details: {
                [key: string]: unknown;
            };
            /** @description Actions that may solve the problem, best first. */
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
            complexities?: ("low" | "medium" | "high")[];
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
            /** @description The cost of all calls of the request. Absent in results of versions that did not count costs. */
            cost?: {
                /** @description The amount as decimal text. Absent if the cost is unknown, because an unknown cost is never 0. */
                amount?: string;
                /** @description The known part of a sum whose basis is `unknown`. */
                known_amount?: string;
                /**
                 * @description Present with an amount.
                 * @constant
                 */
                currency?: "USD";
                /**
                 * @description `reported` by the provider, `priced` from the price list, `free`, or `unknown`. The basis of a sum is its weakest basis.
                 * @enum {string}
                 */
                basis: "free" | "reported" | "priced" | "unknown";
            };
            session?: components["schemas"]["SessionReport"];
            timings: components["schemas"]["Timings"];
            delivered: components["schemas"]["Delivered"][];
            warnings: ("partial_output_failure" | "transient_provider_retry_used" | "negative_prompt_merged" | "output_size_differs" | "output_format_converted" | "ignored_parameters" | "sandbox_output" | "transparency_failed" | "mask_not_native" | "mask_exact_before_encoding" | "metadata_not_embedded" | "credentials_dropped" | "credentials_invalid" | "signing_failed")[];
        };
        ImageParameters: {
            /** @description The number of images. */
            n: number;
            /** @description The width and height in pixels, such as 1536x1024, or auto. */
            size: string;
            /** @description An aspect ratio such as 16:9, instead of a size. */
            aspect_ratio: string | null;
            /** @description An approximate resolution, instead of a size. */
            resolution: ("1k" | "2k" | "4k") | null;
            /**
             * @description The quality. xhigh and max are only available if the capability document lists them.
             * @enum {string}
             */
            quality: "auto" | "low" | "medium" | "high" | "xhigh" | "max";
            /** @enum {string} */
            output_format: "png" | "jpeg" | "webp";
            /** @description The encoding quality; only for jpeg and webp. */
            output_compression: number | null;
            /**
             * @description The background. If the provider does not support transparency, the bridge removes the background.
             * @enum {string}
             */
            background: "auto" | "opaque" | "transparent";
            /** @enum {string} */
            moderation: "auto" | "low";
            /** @description The number of partial images to send before the final image. */
            partial_images: number;
            /**
             * @description best_effort returns the images that succeeded and lists the failures.
             * @enum {string}
             */
            failure_policy: "fail_fast" | "best_effort";
            /**
             * @description The action that the model is instructed to perform; auto follows the operation.
             * @enum {string}
             */
            action: "auto" | "generate" | "edit";
            /** @description The fidelity to the input images. */
            input_fidelity: ("low" | "high") | null;
            /**
             * @description The computation that the model spends on planning the image. A value that the capability document does not list is rejected with the compatibility `strict`, and ignored with any other.
             * @enum {string}
             */
            complexity?: "low" | "medium" | "high";
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
            /** @description Absent in results of earlier versions of the bridge. */
            provenance?: components["schemas"]["Provenance"];
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
            /** @description Absent in results of earlier versions of the bridge. */
            provenance?: components["schemas"]["Provenance"];
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
            /** @description Absent in results of earlier versions of the bridge. */
            provenance?: components["schemas"]["Provenance"];
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
            /** @description Absent in results of earlier versions of the bridge. */
            provenance?: components["schemas"]["Provenance"];
        };
        Provenance: {
            /**
             * @description The credentials of the image of the provider. If that image has none and was composited with a source: the credentials of the source. `present`: not checked. `too_large`: not read. `link`: on a server, not fetched.
             * @enum {string}
             */
            found: "none" | "trusted" | "valid" | "invalid" | "unreadable" | "link" | "present" | "too_large";
            /** @description The organisation in the certificate of these credentials. Absent unless the credentials were checked. Only `trusted` credentials prove the name. */
            signer?: string;
            /**
             * @description The credentials of the delivered image. `kept`: unchanged. `resigned`: signed by the bridge, with the earlier credentials inside. `signed`: signed by the bridge, without earlier credentials. `dropped`: lost.
             * @enum {string}
             */
            credentials: "none" | "kept" | "resigned" | "signed" | "dropped";
            /**
             * @description Present with `dropped`: the step that removed the credentials or, if the bridge signs images, the reason why the image was not signed.
             * @enum {string}
             */
            reason?: "converted" | "cut_out" | "put_back" | "invalid" | "unreadable" | "too_large" | "signing_failed";
            /**
             * @description The IPTC property DigitalSourceType of the delivered image: written by the bridge, part of the image of the provider, or absent.
             * @enum {string}
             */
            mark: "written" | "existing" | "none";
            /** @description The value of the mark: a URL of the IPTC vocabulary. A mark of the provider may be another text. Absent without a mark. */
            source_type?: string;
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
            input_text_tokens?: number;
            input_image_tokens?: number;
            cached_text_tokens?: number;
            cached_image_tokens?: number;
            output_text_tokens?: number;
            output_image_tokens?: number;
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
            /** @description The index of the first route that accepts the request and is ready; null if there is no such route. */
            chosen: number | null;
            /** @description The routes in the order in which they are tried. */
            routes: components["schemas"]["PlannedRoute"][];
        };
        PlannedRoute: {
            provider: string;
            model: string;
            /** @description True if the last probe found the provider ready and its circuit breaker admits a request. */
            ready: boolean;
            /** @description The number of provider calls; 0 if the route rejects the request. */
            calls: number;
            /** @description The effective parameters; the requested parameters if the route rejects the request. */
            effective: {
                /** @description The number of images. */
                n: number;
                /** @description The width and height in pixels, such as 1536x1024, or auto. */
                size: string;
                /** @description An aspect ratio such as 16:9, instead of a size. */
                aspect_ratio: string | null;
                /** @description An approximate resolution, instead of a size. */
                resolution: ("1k" | "2k" | "4k") | null;
                /**
                 * @description The quality. xhigh and max are only available if the capability document lists them.
                 * @enum {string}
                 */
                quality: "auto" | "low" | "medium" | "high" | "xhigh" | "max";
                /** @enum {string} */
                output_format: "png" | "jpeg" | "webp";
                /** @description The encoding quality; only for jpeg and webp. */
                output_compression: number | null;
                /**
                 * @description The background. If the provider does not support transparency, the bridge removes the background.
                 * @enum {string}
                 */
                background: "auto" | "opaque" | "transparent";
                /** @enum {string} */
                moderation: "auto" | "low";
                /** @description The number of partial images to send before the final image. */
                partial_images: number;
                /**
                 * @description best_effort returns the images that succeeded and lists the failures.
                 * @enum {string}
                 */
                failure_policy: "fail_fast" | "best_effort";
                /**
                 * @description The action that the model is instructed to perform; auto follows the operation.
                 * @enum {string}
                 */
                action: "auto" | "generate" | "edit";
                /** @description The fidelity to the input images. */
                input_fidelity: ("low" | "high") | null;
                /**
                 * @description The computation that the model spends on planning the image. A value that the capability document does not list is rejected with the compatibility `strict`, and ignored with any other.
                 * @enum {string}
                 */
                complexity?: "low" | "medium" | "high";
            };
            normalizations: components["schemas"]["Normalization"][];
            /** @description The warnings that are known in advance. The reply may contain more. */
            warnings: ("partial_output_failure" | "transient_provider_retry_used" | "negative_prompt_merged" | "output_size_differs" | "output_format_converted" | "ignored_parameters" | "sandbox_output" | "transparency_failed" | "mask_not_native" | "mask_exact_before_encoding" | "metadata_not_embedded" | "credentials_dropped" | "credentials_invalid" | "signing_failed")[];
            /** @description Present only if a transparent background is made by the provider or the bridge. */
            transparency?: components["schemas"]["PlannedTransparency"];
            /** @description Present if the request has a mask, or a canvas beyond its image, and the sizes are known. */
            edit?: {
                /** @description The size of the image that the model draws. */
                drawn: {
                    width: number;
                    height: number;
                };
                /** @description The part of the drawn image that the bridge uses. */
                cut: {
                    x: number;
                    y: number;
                    width: number;
                    height: number;
                };
                /** @description The size of the result. If the result is larger than `cut`, the bridge enlarges the drawn part. */
                result: {
                    width: number;
                    height: number;
                };
                /** @description True if the bridge restores the pixels of the source outside the mask exactly. False if the model keeps these pixels itself. */
                put_back: boolean;
            };
            /**
             * @description The planned treatment of valid credentials (C2PA) in the images that the provider returns. The plan does not know whether the provider signs its images. Absent if the route rejects the request.
             * @enum {string}
             */
            credentials?: "would_keep" | "would_resign" | "would_drop";
            /** @description The cost of the request on this route. Absent if the route rejects the request. */
            cost?: {
                /** @description The amount as decimal text. Absent if the cost is unknown, because an unknown cost is never 0. */
                amount?: string;
                /** @description The known part of a sum whose basis is `unknown`. */
                known_amount?: string;
                /**
                 * @description Present with an amount.
                 * @constant
                 */
                currency?: "USD";
                /**
                 * @description `reported` by the provider, `priced` from the price list, `free`, or `unknown`. The basis of a sum is its weakest basis.
                 * @enum {string}
                 */
                basis: "free" | "reported" | "priced" | "unknown";
                /**
                 * @description Present with an amount. `exact`: the amount is the cost. `at_most`: the amount is an upper bound of the cost.
                 * @enum {string}
                 */
                bound?: "exact" | "at_most";
            };
            /** @description The error with which the route rejects the request. If `calls` is above 0, the reason why the provider is not ready now. */
            error?: components["schemas"]["BridgeError"];
        };
        PlannedTransparency: {
            /** @constant */
            mode: "native";
        } | {
            /** @constant */
            mode: "chroma_key";
            /** @description The background colour to request and remove, as #RRGGBB. */
            key_color: string;
        };
        ImagePlanBatchResult: {
            /** @description The routes in the order of the request. */
            routes: components["schemas"]["PlannedRouteSum"][];
            /** @description The sums over all routes, whether or not their providers are ready. */
            total: {
                /** @description The number of accepted requests. */
                requests: number;
                /** @description The number of provider calls of the accepted requests. */
                calls: number;
                /** @description The number of images of the accepted requests. */
                images: number;
                /** @description The number of accepted requests with an unknown cost. `known_amount` of the cost is the sum of the others. */
                unpriced: number;
                /** @description The number of accepted requests that cost nothing. */
                free: number;
                /** @description The sum of the costs of the accepted requests. Absent if no request is accepted. */
                cost?: {
                    /** @description The amount as decimal text. Absent if the cost is unknown, because an unknown cost is never 0. */
                    amount?: string;
                    /** @description The known part of a sum whose basis is `unknown`. */
                    known_amount?: string;
                    /**
                     * @description Present with an amount.
                     * @constant
                     */
                    currency?: "USD";
                    /**
                     * @description `reported` by the provider, `priced` from the price list, `free`, or `unknown`. The basis of a sum is its weakest basis.
                     * @enum {string}
                     */
                    basis: "free" | "reported" | "priced" | "unknown";
                    /**
                     * @description Present with an amount. `exact`: the amount is the cost. `at_most`: the amount is an upper bound of the cost.
                     * @enum {string}
                     */
                    bound?: "exact" | "at_most";
                };
            };
        };
        PlannedRouteSum: {
            provider: string;
            model: string;
            /** @description True if the last probe found the provider ready and its circuit breaker admits a request. */
            ready: boolean;
            /** @description The number of accepted requests. */
            requests: number;
            /** @description The number of provider calls of the accepted requests. */
            calls: number;
            /** @description The number of images of the accepted requests. */
            images: number;
            /** @description The number of accepted requests with an unknown cost. `known_amount` of the cost is the sum of the others. */
            unpriced: number;
            /** @description The number of accepted requests that cost nothing. */
            free: number;
            /** @description The sum of the costs of the accepted requests. Absent if no request is accepted. */
            cost?: {
                /** @description The amount as decimal text. Absent if the cost is unknown, because an unknown cost is never 0. */
                amount?: string;
                /** @description The known part of a sum whose basis is `unknown`. */
                known_amount?: string;
                /**
                 * @description Present with an amount.
                 * @constant
                 */
                currency?: "USD";
                /**
                 * @description `reported` by the provider, `priced` from the price list, `free`, or `unknown`. The basis of a sum is its weakest basis.
                 * @enum {string}
                 */
                basis: "free" | "reported" | "priced" | "unknown";
                /**
                 * @description Present with an amount. `exact`: the amount is the cost. `at_most`: the amount is an upper bound of the cost.
                 * @enum {string}
                 */
                bound?: "exact" | "at_most";
            };
            /** @description The changes of the first accepted request. */
            normalizations: components["schemas"]["Normalization"][];
            /** @description The warnings that are known in advance. The reply may contain more. */
            warnings: ("partial_output_failure" | "transient_provider_retry_used" | "negative_prompt_merged" | "output_size_differs" | "output_format_converted" | "ignored_parameters" | "sandbox_output" | "transparency_failed" | "mask_not_native" | "mask_exact_before_encoding" | "metadata_not_embedded" | "credentials_dropped" | "credentials_invalid" | "signing_failed")[];
            /** @description The prompts that the route rejects, each with its error. */
            refused: {
                /** @description The index of the prompt. */
                prompt: number;
                error: components["schemas"]["BridgeError"];
            }[];
            /** @description The reason why the provider is not ready now. */
            error?: components["schemas"]["BridgeError"];
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
                /** @description The error code that OpenAI clients evaluate. */
                code: string;
                bridge_ext: {
                    /**
                     * @description The stable name of this kind of failure.
                     * @enum {string}
                     */
                    code: "invalid_request" | "input" | "unsupported_capability" | "authentication" | "permission_denied" | "safety_rejected" | "not_found" | "conflict" | "idempotency_conflict" | "rate_limited" | "overloaded" | "timeout" | "cancelled" | "upstream" | "protocol" | "artifact" | "configuration" | "internal";
                    /** @description True if the same request may be sent again. */
                    retryable: boolean;
                    provider?: string;
                    upstream_request_id?: string;
                    /** @description Facts about the failure, such as issues, supported_models, outcome or retry_after_ms. */
                    details: {
                        [key: string]: unknown;
                    };
                    /** @description Actions that may solve the problem, best first. */
                    suggestions: string[];
                };
            };
            /** @description Same as the header x-request-id. */
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
            /** @description The priority; 0 if absent. */
            priority?: number;
            /** @description The labels of the job. Absent if the job has none. */
            labels?: string[];
            /** @description The group of the job, and its place there. A retry has the same place. Absent if the job has no group. */
            group?: components["schemas"]["ImageJobGroup"];
            /** @description True if the job is a favourite, which retention does not delete. */
            favorite: boolean;
            /** @description The time at which the job was hidden. A hidden job can be restored. */
            deleted?: number;
            /**
             * Format: uuid
             * @description The id of the newest job that retries this job, also after the undo of a cancellation. Absent if no retry is stored.
             */
            retried_as?: string;
            progress?: {
                /** @enum {string} */
                stage: "queued" | "preparing" | "dispatched" | "generating" | "verifying" | "publishing";
                /** @description The number of partial images so far. */
                partial_images: number;
                /** @description The number of requested images that are finished. */
                finished_images: number;
            };
            request: components["schemas"]["ImageJobRequest"];
            /**
             * Format: uuid
             * @description The id of the earlier job if this job was created by a retry.
             */
            retry_of?: string;
            /** @description The input images that were sent as artifacts of this bridge. Absent if there are none. */
            derived_from?: {
                /** @description The index of the input image: first the images, then the mask, then the reference images. */
                input: number;
                /** @description The id of the image, which may have been removed. */
                artifact_id: string;
                /**
                 * Format: uuid
                 * @description The id of the job that made the image, which may have been removed. Absent if the image was made without a job.
                 */
                job_id?: string;
                /** @description The position of the image in the `artifacts` of that job. */
                image?: number;
                /** @description The name of the file when the job was accepted. */
                name: string;
                width: number;
                height: number;
                /** @description The time at which the image was made. */
                created: number;
            }[];
            result?: components["schemas"]["ImageResponse"];
            /** @description The finished images of a job that did not succeed. A retry requests only the missing images. */
            partial_result?: {
                data: components["schemas"]["GeneratedImage"][];
            };
            error?: components["schemas"]["BridgeError"];
            /** @description The images of the job that have marks (`PATCH /v1/artifacts/{id}`). Absent if there are none. */
            marks?: {
                artifact_id: string;
                /** @description True if the image is a favourite. */
                favorite?: boolean;
                /** @description True if the image is hidden. */
                hidden?: boolean;
                /** @description The note of the owner. */
                note?: string;
            }[];
            /** @description The delivery of the ended job to its webhook; absent if the job is not sent. */
            webhook?: {
                /** @enum {string} */
                status: "pending" | "delivered" | "failed";
                /** @description The number of delivery attempts. */
                attempts: number;
                /** @description The HTTP status of the last reply, if there was a reply. */
                last_status?: number;
            };
        };
        ImageJobRequest: {
            /** @enum {string} */
            operation: "generate" | "edit";
            /** @description Content to avoid. The prompt and the negative prompt together have at most 12288 bytes of UTF-8. */
            negative_prompt: string | null;
            parameters: {
                /** @description The number of images. */
                n: number;
                /** @description The width and height in pixels, such as 1536x1024, or auto. */
                size: string;
                /** @description An aspect ratio such as 16:9, instead of a size. */
                aspect_ratio: string | null;
                /** @description An approximate resolution, instead of a size. */
                resolution: ("1k" | "2k" | "4k") | null;
                /**
                 * @description The quality. xhigh and max are only available if the capability document lists them.
                 * @enum {string}
                 */
                quality: "auto" | "low" | "medium" | "high" | "xhigh" | "max";
                /**
                 * @description png if omitted.
                 * @enum {string}
                 */
                output_format?: "png" | "jpeg" | "webp";
                /** @description The encoding quality; only for jpeg and webp. */
                output_compression: number | null;
                /**
                 * @description The background. If the provider does not support transparency, the bridge removes the background.
                 * @enum {string}
                 */
                background: "auto" | "opaque" | "transparent";
                /** @enum {string} */
                moderation: "auto" | "low";
                /** @description The number of partial images to send before the final image. */
                partial_images: number;
                /**
                 * @description best_effort returns the images that succeeded and lists the failures.
                 * @enum {string}
                 */
                failure_policy: "fail_fast" | "best_effort";
                /**
                 * @description The action that the model is instructed to perform; auto follows the operation.
                 * @enum {string}
                 */
                action: "auto" | "generate" | "edit";
                /** @description The fidelity to the input images. */
                input_fidelity: ("low" | "high") | null;
                /**
                 * @description The computation that the model spends on planning the image. A value that the capability document does not list is rejected with the compatibility `strict`, and ignored with any other.
                 * @enum {string}
                 */
                complexity?: "low" | "medium" | "high";
            };
            output: {
                /**
                 * @description The delivery of images. metadata verifies and describes the images without keeping them. Jobs always use artifact.
                 * @enum {string}
                 */
                response_format: "b64_json" | "artifact" | "url" | "metadata";
                /** @description A directory relative to the artifact root, or to the folder of the owner if a named token is used: portable names of at most 512 bytes. Only for artifact and url delivery. */
                directory?: string;
                /** @description The filename of a single image; the extension is optional. Only for artifact and url delivery. */
                filename?: string;
                /** @description A prefix for generated filenames, instead of a filename. Only for artifact and url delivery. */
                filename_prefix?: string;
                /**
                 * @description The action if the filename exists: error rejects the request, suffix tries -2, -3 and so on.
                 * @enum {string}
                 */
                collision: "error" | "suffix";
                /**
                 * @description The location of the ImageMetadataRecord: in a sidecar file (artifact delivery only), embedded in the image, or both.
                 * @enum {string}
                 */
                metadata: "none" | "sidecar" | "embedded" | "sidecar_and_embedded";
                transparency: {
                    /**
                     * @description auto uses the alpha channel of the provider if available, else removes a flat background.
                     * @enum {string}
                     */
                    mode: "auto" | "native" | "chroma_key";
                    /** @description The background colour to request and remove. Chosen by the bridge if omitted. */
                    key_color: string | null;
                    /** @description Pixels up to this distance from the key colour become transparent; must be below opaque_threshold. */
                    transparent_threshold: number;
                    /** @description Pixels at or above this distance from the key colour stay opaque. */
                    opaque_threshold: number;
                    /** @description Removes the key colour from the edges of the subject. */
                    despill: boolean;
                };
            };
            routing: {
                /** @description A provider name from GET /v1/providers. */
                provider: string | null;
                /** @description A model. Without a provider, the request goes to the default provider if it lists the model, else to the first provider by name that lists the model. */
                model: string | null;
                /** @description Alternative routes, tried in order. Only for isolated sessions. */
                fallbacks: components["schemas"]["ImageRoute"][];
                /**
                 * @description on_error also tries a fallback after a failure with a known outcome.
                 * @enum {string}
                 */
                fallback_policy: "on_unavailable" | "on_error";
            };
            session: {
                /**
                 * @description The memory of the provider: none (isolated), under a key that you choose (persistent), or in a thread that the provider named (thread).
                 * @enum {string}
                 */
                mode: "isolated" | "persistent" | "thread";
                /** @description The session key. Required for persistent sessions, not allowed otherwise. */
                key?: string;
                /** @description The thread id. Required for thread sessions, not allowed otherwise. */
                thread_id?: string;
            };
            policies: {
                /**
                 * @description The handling of values that the provider does not support: strict rejects them, normalize replaces them by the nearest supported value, and best_effort also drops them. Every change is reported.
                 * @enum {string}
                 */
                compatibility: "strict" | "normalize" | "best_effort";
                /**
                 * @description The transfer of the negative prompt: as a separate field (native) or as a part of the prompt (merge).
                 * @enum {string}
                 */
                negative_prompt: "auto" | "native" | "merge" | "reject";
                /**
                 * @description The handling of the prompt that the provider rewrote.
                 * @enum {string}
                 */
                revised_prompt: "include" | "omit" | "require";
                /**
                 * @description The order of the calls for several images; parallel requires an isolated session.
                 * @enum {string}
                 */
                batch_execution: "auto" | "sequential" | "parallel";
            };
            /** @description The deadline of the whole operation, in milliseconds. */
            timeout_ms: number | null;
            /** @description A caller-defined identifier of the end user. */
            user: string | null;
            /** @description Caller-defined pairs, stored with the job and in the metadata record. They are never sent to a provider. */
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
            /** @description The priority; 0 if absent. */
            priority?: number;
            /** @description The labels of the job. Absent if the job has none. */
            labels?: string[];
            /** @description The group of the job, and its place there. A retry has the same place. Absent if the job has no group. */
            group?: components["schemas"]["ImageJobGroup"];
            /** @description True if the job is a favourite, which retention does not delete. */
            favorite: boolean;
            /** @description The time at which the job was hidden. A hidden job can be restored. */
            deleted?: number;
            /**
             * Format: uuid
             * @description The id of the newest job that retries this job, also after the undo of a cancellation. Absent if no retry is stored.
             */
            retried_as?: string;
            progress?: {
                /** @enum {string} */
                stage: "queued" | "preparing" | "dispatched" | "generating" | "verifying" | "publishing";
                /** @description The number of partial images so far. */
                partial_images: number;
                /** @description The number of requested images that are finished. */
                finished_images: number;
            };
            /** @enum {string} */
            operation: "generate" | "edit";
            /** @description The first 256 characters of the prompt. */
            prompt: string;
            provider: string;
            model?: string;
            /** @description The number of requested images. */
            outputs: number;
            /** @description The size requested from the provider: auto, or WxH in pixels. */
            size: string;
            /** @description The number of input images: images, mask and reference images. */
            inputs: number;
            /** @description The `bridge_ext.code` of the error. */
            error_code?: string;
            artifacts: {
                id: string;
                width: number;
                height: number;
                /** @enum {string} */
                format: "png" | "jpeg" | "webp";
                bytes: number;
                /** @description The credentials of the image: those that were found, and those of the delivered file. Absent for images of earlier versions. */
                provenance?: {
                    /**
                     * @description The credentials of the image of the provider. If that image has none and was composited with a source: the credentials of the source. `present`: not checked. `too_large`: not read. `link`: on a server, not fetched.
                     * @enum {string}
                     */
                    found: "none" | "trusted" | "valid" | "invalid" | "unreadable" | "link" | "present" | "too_large";
                    /**
                     * @description The credentials of the delivered image. `kept`: unchanged. `resigned`: signed by the bridge, with the earlier credentials inside. `signed`: signed by the bridge, without earlier credentials. `dropped`: lost.
                     * @enum {string}
                     */
                    credentials: "none" | "kept" | "resigned" | "signed" | "dropped";
                };
                /** @description True if the image is a favourite. */
                favorite?: boolean;
                /** @description True if the image is hidden. */
                hidden?: boolean;
                /** @description The note of the owner. */
                note?: string;
            }[];
        };
        ImageJobPage: {
            items: components["schemas"]["ImageJobSummary"][];
            next_cursor?: string;
            /** @description The number of jobs on all pages of the list. Present if `total=true`. */
            total?: {
                /** @description The number of matching jobs. */
                count: number;
                /** @description True if more than 10000 jobs match. `count` is then 10000. */
                at_least: boolean;
            };
        };
        ImageJobDays: {
            /** @description The days with matching jobs, newest first. */
            days: {
                /**
                 * Format: date
                 * @description The date in the time zone.
                 */
                date: string;
                /** @description The time at which the day begins. */
                start: number;
                /** @description The number of matching jobs that were accepted on this day. */
                count: number;
            }[];
            /** @description True if older jobs match that are not counted. They are counted with `created_before` set to the `start` of the last day. */
            more: boolean;
        };
        ImageJobLabels: {
            /** @description At most 100 labels, the most used label first. */
            items: {
                label: string;
                /** @description The number of jobs with this label that are not hidden. */
                count: number;
            }[];
        };
        PromptPage: {
            items: {
                /** @description The whole prompt. */
                prompt: string;
                /** @description The number of jobs with exactly this prompt, among the newest 5000 matching jobs. */
                count: number;
                /** @description The newest job with this prompt. */
                job: {
                    /** Format: uuid */
                    id: string;
                    /** @enum {string} */
                    status: "queued" | "running" | "succeeded" | "failed" | "cancelled" | "interrupted";
                    created: number;
                    updated: number;
                    started?: number;
                    completed?: number;
                    cancel_requested: boolean;
                    /** @description The priority; 0 if absent. */
                    priority?: number;
                    /** @description The labels of the job. Absent if the job has none. */
                    labels?: string[];
                    /** @description The group of the job, and its place there. A retry has the same place. Absent if the job has no group. */
                    group?: components["schemas"]["ImageJobGroup"];
                    /** @description True if the job is a favourite, which retention does not delete. */
                    favorite: boolean;
                    /** @description The time at which the job was hidden. A hidden job can be restored. */
                    deleted?: number;
                    /**
                     * Format: uuid
                     * @description The id of the newest job that retries this job, also after the undo of a cancellation. Absent if no retry is stored.
                     */
                    retried_as?: string;
                    progress?: {
                        /** @enum {string} */
                        stage: "queued" | "preparing" | "dispatched" | "generating" | "verifying" | "publishing";
                        /** @description The number of partial images so far. */
                        partial_images: number;
                        /** @description The number of requested images that are finished. */
                        finished_images: number;
                    };
                    /** @enum {string} */
                    operation: "generate" | "edit";
                    /** @description The first 256 characters of the prompt. */
                    prompt: string;
                    provider: string;
                    model?: string;
                    /** @description The number of requested images. */
                    outputs: number;
                    /** @description The size requested from the provider: auto, or WxH in pixels. */
                    size: string;
                    /** @description The number of input images: images, mask and reference images. */
                    inputs: number;
                    /** @description The `bridge_ext.code` of the error. */
                    error_code?: string;
                    artifacts: {
                        id: string;
                        width: number;
                        height: number;
                        /** @enum {string} */
                        format: "png" | "jpeg" | "webp";
                        bytes: number;
                        /** @description The credentials of the image: those that were found, and those of the delivered file. Absent for images of earlier versions. */
                        provenance?: {
                            /**
                             * @description The credentials of the image of the provider. If that image has none and was composited with a source: the credentials of the source. `present`: not checked. `too_large`: not read. `link`: on a server, not fetched.
                             * @enum {string}
                             */
                            found: "none" | "trusted" | "valid" | "invalid" | "unreadable" | "link" | "present" | "too_large";
                            /**
                             * @description The credentials of the delivered image. `kept`: unchanged. `resigned`: signed by the bridge, with the earlier credentials inside. `signed`: signed by the bridge, without earlier credentials. `dropped`: lost.
                             * @enum {string}
                             */
                            credentials: "none" | "kept" | "resigned" | "signed" | "dropped";
                        };
                        /** @description True if the image is a favourite. */
                        favorite?: boolean;
                        /** @description True if the image is hidden. */
                        hidden?: boolean;
                        /** @description The note of the owner. */
                        note?: string;
                    }[];
                };
            }[];
            next_cursor?: string;
        };
        ImageJobFamily: {
            /** @description The jobs of the family, nearest first. The first job is the requested job. */
            items: {
                /** Format: uuid */
                id: string;
                /** @enum {string} */
                status: "queued" | "running" | "succeeded" | "failed" | "cancelled" | "interrupted";
                created: number;
                updated: number;
                started?: number;
                completed?: number;
                cancel_requested: boolean;
                /** @description The priority; 0 if absent. */
                priority?: number;
                /** @description The labels of the job. Absent if the job has none. */
                labels?: string[];
                /** @description The group of the job, and its place there. A retry has the same place. Absent if the job has no group. */
                group?: components["schemas"]["ImageJobGroup"];
                /** @description True if the job is a favourite, which retention does not delete. */
                favorite: boolean;
                /** @description The time at which the job was hidden. A hidden job can be restored. */
                deleted?: number;
                /**
                 * Format: uuid
                 * @description The id of the newest job that retries this job, also after the undo of a cancellation. Absent if no retry is stored.
                 */
                retried_as?: string;
                progress?: {
                    /** @enum {string} */
                    stage: "queued" | "preparing" | "dispatched" | "generating" | "verifying" | "publishing";
                    /** @description The number of partial images so far. */
                    partial_images: number;
                    /** @description The number of requested images that are finished. */
                    finished_images: number;
                };
                /** @enum {string} */
                operation: "generate" | "edit";
                /** @description The first 256 characters of the prompt. */
                prompt: string;
                provider: string;
                model?: string;
                /** @description The number of requested images. */
                outputs: number;
                /** @description The size requested from the provider: auto, or WxH in pixels. */
                size: string;
                /** @description The number of input images: images, mask and reference images. */
                inputs: number;
                /** @description The `bridge_ext.code` of the error. */
                error_code?: string;
                artifacts: {
                    id: string;
                    width: number;
                    height: number;
                    /** @enum {string} */
                    format: "png" | "jpeg" | "webp";
                    bytes: number;
                    /** @description The credentials of the image: those that were found, and those of the delivered file. Absent for images of earlier versions. */
                    provenance?: {
                        /**
                         * @description The credentials of the image of the provider. If that image has none and was composited with a source: the credentials of the source. `present`: not checked. `too_large`: not read. `link`: on a server, not fetched.
                         * @enum {string}
                         */
                        found: "none" | "trusted" | "valid" | "invalid" | "unreadable" | "link" | "present" | "too_large";
                        /**
                         * @description The credentials of the delivered image. `kept`: unchanged. `resigned`: signed by the bridge, with the earlier credentials inside. `signed`: signed by the bridge, without earlier credentials. `dropped`: lost.
                         * @enum {string}
                         */
                        credentials: "none" | "kept" | "resigned" | "signed" | "dropped";
                    };
                    /** @description True if the image is a favourite. */
                    favorite?: boolean;
                    /** @description True if the image is hidden. */
                    hidden?: boolean;
                    /** @description The note of the owner. */
                    note?: string;
                }[];
                /** @description The number of steps from the requested job, each from a job to a job whose image it used, or back. */
                distance: number;
                /** @description The input images that were sent as artifacts of this bridge. Absent if there are none. */
                derived_from?: {
                    /** @description The index of the input image: first the images, then the mask, then the reference images. */
                    input: number;
                    /** @description The id of the image, which may have been removed. */
                    artifact_id: string;
                    /**
                     * Format: uuid
                     * @description The id of the job that made the image, which may have been removed. Absent if the image was made without a job.
                     */
                    job_id?: string;
                    /** @description The position of the image in the `artifacts` of that job. */
                    image?: number;
                    /** @description The name of the file when the job was accepted. */
                    name: string;
                    width: number;
                    height: number;
                    /** @description The time at which the image was made. */
                    created: number;
                }[];
                /** @description The mask of the job. Absent if the job has none. */
                mask?: {
                    /** @description The index of the mask among the input images, as in `GET /v1/jobs/{id}/inputs/{index}`. */
                    input: number;
                    sha256: string;
                    /** @description The width in pixels, after rotation according to the EXIF orientation. Absent in jobs of versions that did not store it. */
                    width?: number;
                    /** @description The height in pixels, after rotation according to the EXIF orientation. Absent in jobs of versions that did not store it. */
                    height?: number;
                };
            }[];
            /** @description The number of jobs in the family, those in `items` included. */
            total: {
                /** @description The number of jobs that were found. */
                count: number;
                /** @description True if the family may have more jobs. The search ends after 1000 jobs or 64 steps. */
                at_least: boolean;
            };
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
        ImageJobFeedEvent: components["schemas"]["JobChangedEvent"] | components["schemas"]["JobRemovedEvent"] | {
            /** @constant */
            type: "queue";
            queue: components["schemas"]["OwnImageQueue"];
        } | components["schemas"]["ErrorEvent"];
        JobChangedEvent: {
            /** @constant */
            type: "job";
            /** @description True for jobs that are active when the stream begins, and for jobs that changed before the stream began. */
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
             * @description The final status of the job.
             * @enum {string}
             */
            type: "job.succeeded" | "job.failed" | "job.cancelled" | "job.interrupted";
            /**
             * Format: date-time
             * @description The time at which the job ended.
             */
            timestamp: string;
            data: components["schemas"]["ImageJob"];
        };
        ImageQueue: {
            /** @description True if the queue is paused. A paused queue accepts jobs but starts none; running jobs continue. */
            paused: boolean;
            queued: number;
            running: number;
            /** @description The number of jobs that run at the same time: the limit of all replicas if there is one, otherwise the limit of this process. */
            max_running: number;
            /** @description The age of the oldest queued job in milliseconds, with a resolution of one second. Absent if no job is queued. */
            oldest_queued_age_ms?: number;
            /** @description The jobs by their first provider, for every provider with jobs. */
            by_provider: {
                [key: string]: {
                    queued: number;
                    running: number;
                };
            };
        };
        OwnImageQueue: {
            /** @description True if the queue is paused. No start is then estimated. */
            paused: boolean;
            /** @description The number of jobs that run at the same time: the limit of all replicas if there is one, otherwise the limit of this process. */
            max_running: number;
            /** @description The running jobs of the caller. */
            running: {
                /** Format: uuid */
                id: string;
                /** @description The name of the token that created the job. Absent for a caller without a named token. */
                owner?: string;
                /** @description The usual duration: the median of the latest 20 succeeded jobs with the same provider, model, size and number of images. Absent if fewer than 5 are known. */
                usual_ms?: number;
            }[];
            /** @description The queued jobs of the caller, in the order in which they start. */
            waiting: {
                /** Format: uuid */
                id: string;
                /** @description The place among the queued jobs of all tokens. The job at position 1 starts next. */
                position: number;
                /** @description The name of the token that created the job. Absent for a caller without a named token. */
                owner?: string;
                /** @description The usual duration: the median of the latest 20 succeeded jobs with the same provider, model, size and number of images. Absent if fewer than 5 are known. */
                usual_ms?: number;
                /** @description The estimated time of the start. Absent if too few durations are known. */
                estimated_start?: number;
            }[];
            /** @description The number of queued jobs of the caller, also beyond `waiting`. */
            queued: number;
            /** @description The estimated time at which the last listed job ends. Absent if too few durations are known. */
            done?: number;
        };
        ImageJobBatchResult: {
            /** @description The number of changed jobs. */
            done: number;
            /** @description The jobs that were not changed, by reason. */
            skipped: {
                /**
                 * @description The reason why these jobs were not changed. `refused`: the request of a cancelled job could not be queued again, for example because the queue is full.
                 * @enum {string}
                 */
                reason: "not_found" | "unchanged" | "ended" | "not_ended" | "running" | "not_queued" | "too_many_labels" | "refused";
                count: number;
                /** @description The first 20 of these jobs, in the order of the batch. */
                ids: string[];
            }[];
            /** @description The id with which the changes can be undone until the stated time. Absent if no job was changed. */
            undo?: {
                /** Format: uuid */
                id: string;
                expires: number;
            };
        };
        StoredInput: {
            /** @constant */
            type: "stored";
            sha256: string;
            /** @enum {string} */
            media_type: "image/png" | "image/jpeg" | "image/webp";
            bytes: number;
            /** @description The width in pixels, after rotation according to the EXIF orientation. Absent in jobs of versions that did not store it. */
            width?: number;
            /** @description The height in pixels, after rotation according to the EXIF orientation. Absent in jobs of versions that did not store it. */
            height?: number;
            filename?: string;
        };
        ImagePreset: {
            name: string;
            /** @description The display name; `name` if omitted. A title has 1 to 64 characters of any script, at most 512 bytes of UTF-8, without control characters. Spaces at both ends are removed, and the text is stored in the Unicode form NFC. */
            title?: string;
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
            /** @description The days with images, latest first. */
            items: components["schemas"]["DayUsage"][];
            /** @description The tokens with images on these days, the most images first. Present with `tokens=all`. */
            by_token?: components["schemas"]["TokenUsage"][];
        };
        UsageCaller: {
            /** @description The name of the token; absent for a caller without a named token. */
            name?: string;
            permissions: ("images" | "jobs" | "read" | "presets" | "metrics" | "diagnostics" | "admin")[];
            /** @description The time at which the token expires. */
            expires?: number;
            allowance?: {
                images_per_day: number;
                /** @description Today's `images` and `unknown`, and the images reserved for work that has not ended. */
                used: number;
                /** @description The start of the next day in UTC. */
                resets: number;
            };
            budget?: {
                /** @constant */
                currency: "USD";
                per_day?: string;
                per_month?: string;
                /** @description The amount that is spent today (UTC) or reserved for work that was accepted today. */
                used_today: string;
                used_this_month: string;
                /** @description The amount for each image whose cost is unknown, or `refuse`. */
                unknown_cost: string;
            };
        };
        DayUsage: {
            /**
             * Format: date
             * @description The day in UTC, such as 2026-11-22.
             */
            day: string;
            /** @description Images that the provider made and charges for, delivered or not. */
            images: number;
            /** @description Requested images that were certainly not made. */
            failed: number;
            /** @description Images that may have been made and charged for, because their call ended without a known outcome. */
            unknown: number;
            /** @description The part of `images` that was not delivered: neither in a reply, nor as an artifact, nor in the result of a job. */
            lost: number;
            /** @description Tokens of the models, if the providers report them. */
            tokens?: number;
            /** @description The cost of the calls that have ended. */
            cost: {
                /** @description The amount as decimal text. Absent if the cost is unknown, because an unknown cost is never 0. */
                amount?: string;
                /** @description The known part of a sum whose basis is `unknown`. */
                known_amount?: string;
                /**
                 * @description Present with an amount.
                 * @constant
                 */
                currency?: "USD";
                /**
                 * @description `reported` by the provider, `priced` from the price list, `free`, or `unknown`. The basis of a sum is its weakest basis.
                 * @enum {string}
                 */
                basis: "free" | "reported" | "priced" | "unknown";
            };
            /** @description The images in `images` and `unknown` whose cost is unknown. */
            unknown_images: number;
            /** @description The usage by provider name. */
            by_provider: {
                [key: string]: {
                    /** @description Images that the provider made and charges for, delivered or not. */
                    images: number;
                    /** @description Requested images that were certainly not made. */
                    failed: number;
                    /** @description Images that may have been made and charged for, because their call ended without a known outcome. */
                    unknown: number;
                    /** @description The part of `images` that was not delivered: neither in a reply, nor as an artifact, nor in the result of a job. */
                    lost: number;
                    /** @description Tokens of the models, if the providers report them. */
                    tokens?: number;
                    /** @description The cost of the calls that have ended. */
                    cost: {
                        /** @description The amount as decimal text. Absent if the cost is unknown, because an unknown cost is never 0. */
                        amount?: string;
                        /** @description The known part of a sum whose basis is `unknown`. */
                        known_amount?: string;
                        /**
                         * @description Present with an amount.
                         * @constant
                         */
                        currency?: "USD";
                        /**
                         * @description `reported` by the provider, `priced` from the price list, `free`, or `unknown`. The basis of a sum is its weakest basis.
                         * @enum {string}
                         */
                        basis: "free" | "reported" | "priced" | "unknown";
                    };
                    /** @description The images in `images` and `unknown` whose cost is unknown. */
                    unknown_images: number;
                };
            };
            /** @description The usage by model, ordered by provider and model. The sum of the other models is last. */
            by_model: components["schemas"]["ModelUsage"][];
        };
        ModelUsage: {
            /** @description Absent in the sum of the other models. */
            provider?: string;
            /** @description Absent for images of the provider whose model is not recorded, and in the sum of the other models. */
            model?: string;
            /** @description The number of models in the sum of the models beyond the 30 with the most images in the report. */
            others?: number;
            /** @description Images that the provider made and charges for, delivered or not. */
            images: number;
            /** @description Requested images that were certainly not made. */
            failed: number;
            /** @description Images that may have been made and charged for, because their call ended without a known outcome. */
            unknown: number;
            /** @description The part of `images` that was not delivered: neither in a reply, nor as an artifact, nor in the result of a job. */
            lost: number;
            /** @description Tokens of the models, if the providers report them. */
            tokens?: number;
            /** @description The cost of the calls that have ended. */
            cost: {
                /** @description The amount as decimal text. Absent if the cost is unknown, because an unknown cost is never 0. */
                amount?: string;
                /** @description The known part of a sum whose basis is `unknown`. */
                known_amount?: string;
                /**
                 * @description Present with an amount.
                 * @constant
                 */
                currency?: "USD";
                /**
                 * @description `reported` by the provider, `priced` from the price list, `free`, or `unknown`. The basis of a sum is its weakest basis.
                 * @enum {string}
                 */
                basis: "free" | "reported" | "priced" | "unknown";
            };
            /** @description The images in `images` and `unknown` whose cost is unknown. */
            unknown_images: number;
        };
        TokenUsage: {
            /**
             * @description `named`: a token of the tokens file. `removed`: a token that was removed. `unlisted`: the sum of the tokens that the file no longer lists. `unnamed`: callers without a named token. `others`: the sum of the tokens beyond the 100 with the most images.
             * @enum {string}
             */
            kind: "named" | "removed" | "unlisted" | "unnamed" | "others";
            /** @description The name of a named or removed token. */
            name?: string;
            /**
             * @description Present for the usage of the caller.
             * @constant
             */
            own?: true;
            /** @description Images that the provider made and charges for, delivered or not. */
            images: number;
            /** @description Requested images that were certainly not made. */
            failed: number;
            /** @description Images that may have been made and charged for, because their call ended without a known outcome. */
            unknown: number;
            /** @description The part of `images` that was not delivered: neither in a reply, nor as an artifact, nor in the result of a job. */
            lost: number;
            /** @description Tokens of the models, if the providers report them. */
            tokens?: number;
            /** @description The cost of the calls that have ended. */
            cost: {
                /** @description The amount as decimal text. Absent if the cost is unknown, because an unknown cost is never 0. */
                amount?: string;
                /** @description The known part of a sum whose basis is `unknown`. */
                known_amount?: string;
                /**
                 * @description Present with an amount.
                 * @constant
                 */
                currency?: "USD";
                /**
                 * @description `reported` by the provider, `priced` from the price list, `free`, or `unknown`. The basis of a sum is its weakest basis.
                 * @enum {string}
                 */
                basis: "free" | "reported" | "priced" | "unknown";
            };
            /** @description The images in `images` and `unknown` whose cost is unknown. */
            unknown_images: number;
            /** @description The part of the current day in UTC. */
            today: {
                /** @description Images that the provider made and charges for, delivered or not. */
                images: number;
                /** @description Requested images that were certainly not made. */
                failed: number;
                /** @description Images that may have been made and charged for, because their call ended without a known outcome. */
                unknown: number;
                /** @description The part of `images` that was not delivered: neither in a reply, nor as an artifact, nor in the result of a job. */
                lost: number;
                /** @description Tokens of the models, if the providers report them. */
                tokens?: number;
                /** @description The cost of the calls that have ended. */
                cost: {
                    /** @description The amount as decimal text. Absent if the cost is unknown, because an unknown cost is never 0. */
                    amount?: string;
                    /** @description The known part of a sum whose basis is `unknown`. */
                    known_amount?: string;
                    /**
                     * @description Present with an amount.
                     * @constant
                     */
                    currency?: "USD";
                    /**
                     * @description `reported` by the provider, `priced` from the price list, `free`, or `unknown`. The basis of a sum is its weakest basis.
                     * @enum {string}
                     */
                    basis: "free" | "reported" | "priced" | "unknown";
                };
                /** @description The images in `images` and `unknown` whose cost is unknown. */
                unknown_images: number;
            };
            allowance?: {
                images_per_day: number;
                /** @description Today's `images` and `unknown`, and the images reserved for work that has not ended. */
                used: number;
                /** @description The start of the next day in UTC. */
                resets: number;
            };
            budget?: {
                /** @constant */
                currency: "USD";
                per_day?: string;
                per_month?: string;
                /** @description The amount that is spent today (UTC) or reserved for work that was accepted today. */
                used_today: string;
                used_this_month: string;
                /** @description The amount for each image whose cost is unknown, or `refuse`. */
                unknown_cost: string;
            };
        };
        MarkedArtifact: {
            id: string;
            width: number;
            height: number;
            /** @enum {string} */
            format: "png" | "jpeg" | "webp";
            bytes: number;
            /** @description The credentials of the image: those that were found, and those of the delivered file. Absent for images of earlier versions. */
            provenance?: {
                /**
                 * @description The credentials of the image of the provider. If that image has none and was composited with a source: the credentials of the source. `present`: not checked. `too_large`: not read. `link`: on a server, not fetched.
                 * @enum {string}
                 */
                found: "none" | "trusted" | "valid" | "invalid" | "unreadable" | "link" | "present" | "too_large";
                /**
                 * @description The credentials of the delivered image. `kept`: unchanged. `resigned`: signed by the bridge, with the earlier credentials inside. `signed`: signed by the bridge, without earlier credentials. `dropped`: lost.
                 * @enum {string}
                 */
                credentials: "none" | "kept" | "resigned" | "signed" | "dropped";
            };
            /** @description True if the image is a favourite. */
            favorite?: boolean;
            /** @description True if the image is hidden. */
            hidden?: boolean;
            /** @description The note of the owner. */
            note?: string;
            /**
             * Format: uuid
             * @description The id of the job that made the image.
             */
            job_id: string;
            /** @description The position of the image in the `artifacts` of that job. */
            image: number;
        };
        ImageMetadataRecord: {
            /** @constant */
            version: "1";
            request_id: string;
            completed: number;
            /** @enum {string} */
            operation: "generate" | "edit";
            /** @description The number of input images of each kind. */
            inputs: {
                images: number;
                mask: number;
                reference_images: number;
            };
            prompt: string;
            /** @description The prompt sent to the provider, if it differs from `prompt`. */
            effective_prompt?: string;
            negative_prompt?: string;
            effective_negative_prompt?: string;
            policies: {
                /**
                 * @description The handling of values that the provider does not support: strict rejects them, normalize replaces them by the nearest supported value, and best_effort also drops them. Every change is reported.
                 * @enum {string}
                 */
                compatibility: "strict" | "normalize" | "best_effort";
                /**
                 * @description The transfer of the negative prompt: as a separate field (native) or as a part of the prompt (merge).
                 * @enum {string}
                 */
                negative_prompt: "auto" | "native" | "merge" | "reject";
                /**
                 * @description The handling of the prompt that the provider rewrote.
                 * @enum {string}
                 */
                revised_prompt: "include" | "omit" | "require";
                /**
                 * @description The order of the calls for several images; parallel requires an isolated session.
                 * @enum {string}
                 */
                batch_execution: "auto" | "sequential" | "parallel";
            };
            requested: components["schemas"]["ImageParameters"];
            effective: components["schemas"]["ImageParameters"];
            provider: string;
            model: string;
            usage?: components["schemas"]["Usage"];
            /** @description The cost of the calls of the route; for an image of a job, of the call that made the image. */
            cost?: {
                /** @description The amount as decimal text. Absent if the cost is unknown, because an unknown cost is never 0. */
                amount?: string;
                /** @description The known part of a sum whose basis is `unknown`. */
                known_amount?: string;
                /**
                 * @description Present with an amount.
                 * @constant
                 */
                currency?: "USD";
                /**
                 * @description `reported` by the provider, `priced` from the price list, `free`, or `unknown`. The basis of a sum is its weakest basis.
                 * @enum {string}
                 */
                basis: "free" | "reported" | "priced" | "unknown";
            };
            /** @description Timings until the record was written, without the publication. */
            timings?: components["schemas"]["Timings"];
            attempts?: components["schemas"]["Attempt"][];
            warnings?: ("partial_output_failure" | "transient_provider_retry_used" | "negative_prompt_merged" | "output_size_differs" | "output_format_converted" | "ignored_parameters" | "sandbox_output" | "transparency_failed" | "mask_not_native" | "mask_exact_before_encoding" | "metadata_not_embedded" | "credentials_dropped" | "credentials_invalid" | "signing_failed")[];
            normalizations?: components["schemas"]["Normalization"][];
            revised_prompt?: string;
            session?: components["schemas"]["SessionReport"];
            /** @description The provenance of the image. A record in an image has only `found` and `signer`, because the image is marked and signed after the record was made. */
            provenance?: components["schemas"]["Provenance"] | {
                /**
                 * @description The credentials of the image of the provider. If that image has none and was composited with a source: the credentials of the source. `present`: not checked. `too_large`: not read. `link`: on a server, not fetched.
                 * @enum {string}
                 */
                found: "none" | "trusted" | "valid" | "invalid" | "unreadable" | "link" | "present" | "too_large";
                /** @description The organisation in the certificate of these credentials. Absent unless the credentials were checked. Only `trusted` credentials prove the name. */
                signer?: string;
            };
            metadata: {
                [key: string]: string;
            };
            image: {
                index: number;
                /** @enum {string} */
                format: "png" | "jpeg" | "webp";
                width: number;
                height: number;
                /** @description Only in a sidecar, because a file cannot contain its own size. */
                bytes?: number;
                /** @description Only in a sidecar, because a file cannot contain its own checksum. */
                sha256?: string;
            };
            /** @description The fields that did not fit into the image. */
            omitted_fields?: ("usage" | "timings" | "attempts" | "warnings" | "normalizations" | "revised_prompt" | "session" | "cost" | "provenance")[];
        };
        ArtifactCredentials: {
            /** @description The facts of the publication. Absent for images that were published before these facts were recorded. */
            provenance?: components["schemas"]["Provenance"];
            /**
             * @description The result of a check of the file at the time of the request. `present`: the file has credentials that could not be checked. `too_large`: the credentials are larger than `provenance.max_manifest_bytes`.
             * @enum {string}
             */
            state: "none" | "trusted" | "valid" | "invalid" | "unreadable" | "link" | "present" | "too_large";
            /** @description The active manifest, if the credentials can be read. */
            manifest?: components["schemas"]["ManifestReport"];
        };
        ManifestReport: {
            /** @description The organisation in the certificate of the signer. */
            signer?: string;
            /** @description The name and the version of the program that wrote the manifest. */
            generator?: string;
            actions: {
                action: string;
                source_type?: string;
                software?: string;
            }[];
            /** @description The images from which the image was made, to a depth of 8. */
            ingredients: {
                relationship: string;
                title?: string;
                format?: string;
                manifest?: components["schemas"]["ManifestReport"];
            }[];
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
                /** @description The source of each setting, without its value. */
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
                            /** @description The number of times the circuit breaker has opened since the start. */
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
                /** @description The number of restarts of the child process of the provider. */
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
                    /** @description The limit of this process. 0 if this replica runs no jobs. */
                    max_running: number;
                    /** @description The limit of all replicas together. */
                    max_running_total: number | "unlimited";
                    max_database_bytes: number;
                };
                retention: {
                    retention_secs: number;
                    max_retained: number;
                    max_retained_bytes: number;
                };
                /** @description Space reserved for the results of active jobs. */
                reserved_bytes: number;
                logical_bytes: number;
            };
            webhooks: {
                enabled: boolean;
                /** @description The number of ended jobs that have not been sent yet. */
                pending: number;
            };
            /** @description Background tasks that run at regular intervals. */
            tasks: {
                name: string;
                /** @description The end of the last successful run; absent before the first successful run. */
                last_success?: number;
                /** @description The number of failed runs since the start. */
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
                /** @description The latest replies, newest first. Without the permission `admin`, only replies to the requesting token are listed and counted. */
                items: {
                    sequence: number;
                    timestamp_ms: number;
                    /** @enum {string} */
                    method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS" | "OTHER";
                    /** @description A path of this document, or unmatched. */
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
            /** @description Required by clients. Providers report a single sum, which is counted as text tokens. */
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
            cost?: {
                /** @description The amount as decimal text. Absent if the cost is unknown, because an unknown cost is never 0. */
                amount?: string;
                /** @description The known part of a sum whose basis is `unknown`. */
                known_amount?: string;
                /**
                 * @description Present with an amount.
                 * @constant
                 */
                currency?: "USD";
                /**
                 * @description `reported` by the provider, `priced` from the price list, `free`, or `unknown`. The basis of a sum is its weakest basis.
                 * @enum {string}
                 */
                basis: "free" | "reported" | "priced" | "unknown";
            };
            timings: components["schemas"]["Timings"];
            delivered: components["schemas"]["Delivered"][];
            /** @description The provenance of each image, in the order of `data`. Absent in results of earlier versions of the bridge. */
            provenance?: components["schemas"]["Provenance"][];
            /** @description Fields of the request that were ignored. */
            ignored_parameters?: string[];
            warnings: ("partial_output_failure" | "transient_provider_retry_used" | "negative_prompt_merged" | "output_size_differs" | "output_format_converted" | "ignored_parameters" | "sandbox_output" | "transparency_failed" | "mask_not_native" | "mask_exact_before_encoding" | "metadata_not_embedded" | "credentials_dropped" | "credentials_invalid" | "signing_failed")[];
        };
        OpenAiGenerationEvent: {
            /** @constant */
            type: "image_generation.partial_image";
            partial_image_index: number;
            b64_json: string;
            created_at: number;
            size: string;
            /** @enum {string} */
            quality: "auto" | "low" | "medium" | "high" | "xhigh" | "max";
            /** @enum {string} */
            background: "auto" | "opaque" | "transparent";
            /** @enum {string} */
            output_format: "png" | "jpeg" | "webp";
            /** @description The index of the image if several images were requested. */
            index?: number;
        } | {
            /** @constant */
            type: "image_generation.completed";
            /** @description The usage of all images; only in the last event. */
            usage?: components["schemas"]["OpenAiImageUsage"];
            bridge_ext?: {
                /** @description Fields of the request that were ignored. */
                ignored_parameters?: string[];
                provenance?: components["schemas"]["Provenance"];
            };
            b64_json: string;
            created_at: number;
            size: string;
            /** @enum {string} */
            quality: "auto" | "low" | "medium" | "high" | "xhigh" | "max";
            /** @enum {string} */
            background: "auto" | "opaque" | "transparent";
            /** @enum {string} */
            output_format: "png" | "jpeg" | "webp";
            /** @description The index of the image if several images were requested. */
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
            quality: "auto" | "low" | "medium" | "high" | "xhigh" | "max";
            /** @enum {string} */
            background: "auto" | "opaque" | "transparent";
            /** @enum {string} */
            output_format: "png" | "jpeg" | "webp";
            /** @description The index of the image if several images were requested. */
            index?: number;
        } | {
            /** @constant */
            type: "image_edit.completed";
            /** @description The usage of all images; only in the last event. */
            usage?: components["schemas"]["OpenAiImageUsage"];
            bridge_ext?: {
                /** @description Fields of the request that were ignored. */
                ignored_parameters?: string[];
                provenance?: components["schemas"]["Provenance"];
            };
            b64_json: string;
            created_at: number;
            size: string;
            /** @enum {string} */
            quality: "auto" | "low" | "medium" | "high" | "xhigh" | "max";
            /** @enum {string} */
            background: "auto" | "opaque" | "transparent";
            /** @enum {string} */
            output_format: "png" | "jpeg" | "webp";
            /** @description The index of the image if several images were requested. */
            index?: number;
        } | components["schemas"]["ErrorEvent"];
        Model: {
            /** @description A model name, provider/model, or an alias. */
            id: string;
            /** @constant */
            object: "model";
            created: number;
            /** @description The provider that serves the model. */
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
                /** @description An error code of JSON-RPC or of the Model Context Protocol. */
                code: number;
                message: string;
                data?: {
                    [key: string]: unknown;
                };
            };
            /** @description The id of the rejected message; null if the message has no id. */
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
                /** @description The size of the file: bytes *\/N. */
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
                /** @description The authentication scheme: Bearer. */
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
        /** @description Conflict: `count_differs`. */
        count_differs: {
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
        /** @description The id of this request. An error body contains the same id. */
        "x-request-id": string;
        /** @description The trace that the request belongs to (W3C Trace Context). */
        traceparent: string;
        /** @description True if the same request can be sent again. */
        "x-should-retry": "true" | "false";
        /** @description Seconds to wait before the request is sent again. */
        "retry-after": number;
        /** @description The exact time to wait in milliseconds. */
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
            /** @description The process is running. */
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
            /** @description The default provider or the state database is not ready. */
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
                /** @description Equal requests with the same key are executed once; a repeated request gets the same reply. */
                "idempotency-key"?: string;
                /** @description The retry count sent by the official OpenAI clients. A request with this header continues for 10 s after its client disconnects, and its outcome is kept for 10 s after the reply was written. An equal request with a count of 1 or more joins that request, or returns its job. */
                "x-stainless-retry-count"?: string;
                /** @description Preferences (RFC 7240). `respond-async` starts a job and returns the job. With `wait=N` in addition, the reply contains the images if they are ready within N seconds (at most 600). Ignored for streams, if jobs are disabled, and for a token without the permission `jobs`. */
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
            /** @description The images. All bytes and pixels of each image are verified. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description With 202: the URL of the job. */
                    location?: string;
                    /** @description With 202: the preference that was followed. */
                    "preference-applied"?: string;
                    /** @description With 202: the estimated number of seconds until the job has ended. */
                    "retry-after"?: string;
                    /** @description Present and `true` if this reply repeats the reply to an earlier equal request. */
                    "idempotent-replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImageResponse"];
                };
            };
            /** @description The job that makes the images, if requested by `Prefer: respond-async`. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description With 202: the URL of the job. */
                    location?: string;
                    /** @description With 202: the preference that was followed. */
                    "preference-applied"?: string;
                    /** @description With 202: the estimated number of seconds until the job has ended. */
                    "retry-after"?: string;
                    /** @description Present and `true` if this reply repeats the reply to an earlier equal request. */
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
                /** @description Equal requests with the same key are executed once; a repeated request gets the same reply. */
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
            /** @description A stream of events. The first event is `started`, and the last event is `completed` or `error`. A request that is rejected before the start receives an ordinary error reply. If the client closes the connection, the work is cancelled, unless the request has an idempotency key. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description Present and `true` if the stream repeats the outcome of an equal request. The stream then contains only `started` and the last event. */
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
            /** @description One entry per route, in the order in which the routes are tried. The bridge decodes no image, calls no provider and stores nothing. An idempotency key has no effect. All facts that do not depend on the pixels of an image or on a provider call are the same as in the reply to the image request itself. */
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
    planImageBatch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImagePlanBatch"];
            };
        };
        responses: {
            /** @description One entry per route, in the order of the request, with the sums of its plans. Images are described or are artifacts. The bridge decodes no image, calls no provider and stores nothing. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImagePlanBatchResult"];
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
                /** @description Equal requests with the same key are executed once; a repeated request gets the same reply. */
                "idempotency-key"?: string;
                /** @description The retry count sent by the official OpenAI clients. A request with this header continues for 10 s after its client disconnects, and its outcome is kept for 10 s after the reply was written. An equal request with a count of 1 or more joins that request, or returns its job. */
                "x-stainless-retry-count"?: string;
                /** @description Preferences (RFC 7240). `respond-async` starts a job and returns the job. With `wait=N` in addition, the reply contains the images if they are ready within N seconds (at most 600). Ignored for streams, if jobs are disabled, and for a token without the permission `jobs`. */
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
            /** @description The images. If `stream` is true, the reply is a stream of events: partial images, one `completed` event per image, or an `error`. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description With 202: the URL of the job. */
                    location?: string;
                    /** @description With 202: the preference that was followed. */
                    "preference-applied"?: string;
                    /** @description With 202: the estimated number of seconds until the job has ended. */
                    "retry-after"?: string;
                    /** @description Present and `true` if this reply repeats the images of an earlier equal request. */
                    "idempotent-replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiImages"];
                    "text/event-stream": string;
                };
            };
            /** @description The job that makes the images, if requested by `Prefer: respond-async`. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description With 202: the URL of the job. */
                    location?: string;
                    /** @description With 202: the preference that was followed. */
                    "preference-applied"?: string;
                    /** @description With 202: the estimated number of seconds until the job has ended. */
                    "retry-after"?: string;
                    /** @description Present and `true` if this reply repeats the images of an earlier equal request. */
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
                /** @description Equal requests with the same key are executed once; a repeated request gets the same reply. */
                "idempotency-key"?: string;
                /** @description The retry count sent by the official OpenAI clients. A request with this header continues for 10 s after its client disconnects, and its outcome is kept for 10 s after the reply was written. An equal request with a count of 1 or more joins that request, or returns its job. */
                "x-stainless-retry-count"?: string;
                /** @description Preferences (RFC 7240). `respond-async` starts a job and returns the job. With `wait=N` in addition, the reply contains the images if they are ready within N seconds (at most 600). Ignored for streams, if jobs are disabled, and for a token without the permission `jobs`. */
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
            /** @description The images. If `stream` is true, the reply is a stream of events: partial images, one `completed` event per image, or an `error`. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description With 202: the URL of the job. */
                    location?: string;
                    /** @description With 202: the preference that was followed. */
                    "preference-applied"?: string;
                    /** @description With 202: the estimated number of seconds until the job has ended. */
                    "retry-after"?: string;
                    /** @description Present and `true` if this reply repeats the images of an earlier equal request. */
                    "idempotent-replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiImages"];
                    "text/event-stream": string;
                };
            };
            /** @description The job that makes the images, if requested by `Prefer: respond-async`. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description With 202: the URL of the job. */
                    location?: string;
                    /** @description With 202: the preference that was followed. */
                    "preference-applied"?: string;
                    /** @description With 202: the estimated number of seconds until the job has ended. */
                    "retry-after"?: string;
                    /** @description Present and `true` if this reply repeats the images of an earlier equal request. */
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
                /** @description The next_cursor of the previous page, which had the same filters. */
                cursor?: string;
                status?: "queued" | "running" | "succeeded" | "failed" | "cancelled" | "interrupted";
                /** @description The visibility of the listed jobs; active if omitted. */
                visibility?: "active" | "hidden" | "all";
                favorite?: boolean;
                /** @description Only jobs with this label. */
                label?: string;
                /** @description Only jobs of the group with this id. */
                group?: string;
                /** @description The provider that ran the job, or the first provider of a job that has not run. An unused provider name matches no jobs. */
                provider?: string;
                /** @description Only jobs of this model. */
                model?: string;
                /** @description Only jobs whose first image has this size: WxH in pixels, or a ratio W:H, which may differ by 1 %. A job without images has the requested size. auto selects jobs that requested no size. */
                size?: string;
                /** @description Only jobs with this operation. */
                operation?: "generate" | "edit";
                /** @description Only jobs that were accepted at this time or later, in Unix seconds. */
                created_after?: number;
                /** @description Only jobs that were accepted before this time, in Unix seconds. */
                created_before?: number;
                /** @description A literal part of the prompt, without regard to case. */
                search?: string;
                /** @description Words that the prompt contains in any order, without regard to case. `"a b"` is an exact phrase; `-a` and `-"a b"` exclude. A word also matches inside a longer word. At most 16 words and phrases. */
                q?: string;
                /** @description The job that comes first: the job that was accepted last, or the job that was accepted first. newest if omitted. */
                order?: "newest" | "oldest";
                /** @description true adds the number of jobs on all pages, exact up to 10000. This takes longer. */
                total?: boolean;
                /**
                 * @deprecated
                 * @description true means visibility=all. Use `visibility` instead.
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
                /** @description Equal requests with the same key are executed once; a repeated request gets the same reply. */
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
            /** @description The queued job, which survives restarts. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description The URL of the job. */
                    location?: string;
                    /** @description Present and `true` if an earlier equal request with the key created the job. */
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
    listJobDays: {
        parameters: {
            query?: {
                status?: "queued" | "running" | "succeeded" | "failed" | "cancelled" | "interrupted";
                visibility?: "active" | "hidden" | "all";
                favorite?: boolean;
                /** @description Only jobs with this label. */
                label?: string;
                /** @description Only jobs of the group with this id. */
                group?: string;
                /** @description The provider that ran the job, or the first provider of a job that has not run. An unused provider name matches no jobs. */
                provider?: string;
                /** @description Only jobs of this model. */
                model?: string;
                /** @description Only jobs whose first image has this size: WxH in pixels, or a ratio W:H, which may differ by 1 %. A job without images has the requested size. auto selects jobs that requested no size. */
                size?: string;
                /** @description Only jobs with this operation. */
                operation?: "generate" | "edit";
                /** @description Only jobs that were accepted at this time or later, in Unix seconds. */
                created_after?: number;
                /** @description Only jobs that were accepted before this time, in Unix seconds. */
                created_before?: number;
                /** @description A literal part of the prompt, without regard to case. */
                search?: string;
                /** @description Words that the prompt contains in any order, without regard to case. `"a b"` is an exact phrase; `-a` and `-"a b"` exclude. A word also matches inside a longer word. At most 16 words and phrases. */
                q?: string;
                /** @description The IANA name of the time zone in which the days begin. */
                time_zone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The days with jobs. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImageJobDays"];
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
    listJobLabels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The most used labels. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImageJobLabels"];
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
    streamJobs: {
        parameters: {
            query?: {
                /** @description true adds `queue` events: the places of the queued jobs, their estimated starts, and whether the queue is paused. */
                queue?: boolean;
            };
            header?: {
                /** @description The id of the last received event, after which the stream continues. An id that is too old or belongs to other jobs is rejected. */
                "last-event-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream of jobs. First an id without an event, then all active jobs, then every job that changes. Each job is sent in its current state. A reader that sends the last id in the header `Last-Event-ID` receives the jobs that have changed since then, also after a restart of the bridge. A slow reader receives a job only once for several changes. With `queue=true`, the queue follows the active jobs, and is sent again whenever it has changed, at most once a second. */
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
    changeJobs: {
        parameters: {
            query?: never;
            header?: {
                /** @description Equal requests with the same key are executed once; a repeated request gets the same reply. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImageJobBatch"];
            };
        };
        responses: {
            /** @description The numbers of changed and skipped jobs, and the id for undoing the changes. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description Present and `true` if an earlier equal request with the key changed the jobs. */
                    "idempotent-replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImageJobBatchResult"];
                };
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["authentication_required"];
            403: components["responses"]["permission_denied"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["count_differs"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            431: components["responses"]["header_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["overloaded"];
        };
    };
    undoJobChanges: {
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
            /** @description The numbers of restored and skipped jobs. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The number of changed jobs. */
                        done: number;
                        /** @description The jobs that were not changed, by reason. */
                        skipped: {
                            /**
                             * @description The reason why these jobs were not changed. `refused`: the request of a cancelled job could not be queued again, for example because the queue is full.
                             * @enum {string}
                             */
                            reason: "not_found" | "unchanged" | "ended" | "not_ended" | "running" | "not_queued" | "too_many_labels" | "refused";
                            count: number;
                            /** @description The first 20 of these jobs, in the order of the batch. */
                            ids: string[];
                        }[];
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
    getJob: {
        parameters: {
            query?: {
                /** @description The maximum time to wait for the end of the job, in milliseconds. */
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
            /** @description The current state of the job. */
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
                /** @description The handling of running provider calls: stop aborts them, finish waits for their images and keeps them. In both cases no further calls are started. */
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
            /** @description The job after the cancellation. */
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
            /** @description The changed job. */
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
            /** @description Conflict: `job_not_terminal`, `job_not_queued`. */
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
    retryJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description Equal requests with the same key are executed once; a repeated request gets the same reply. */
                "idempotency-key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new job, with the input images of the earlier job. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description The URL of the new job. */
                    location?: string;
                    /** @description Present and `true` if an earlier equal request with the key created the job. */
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
    getJobFamily: {
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
            /** @description The nearest jobs of the family. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImageJobFamily"];
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
    listDerivedJobs: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The next_cursor of the previous page, which had the same filters. */
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
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
                    "application/json": {
                        items: components["schemas"]["ImageJobSummary"][];
                        next_cursor?: string;
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
                    /** @description The index among the partial images of the same output. */
                    "x-partial-index"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "image/png": string;
                    "image/jpeg": string;
                    "image/webp": string;
                };
            };
            /** @description No partial image is available yet, or the job has ended. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description The index among the partial images of the same output. */
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
                /** @description If true, browsers save the image instead of showing it. */
                download?: boolean;
            };
            header?: {
                /** @description The etag of a cached copy. */
                "if-none-match"?: string;
                /** @description A single range of bytes, such as bytes=0-1023. */
                range?: string;
                /** @description With never, the reply contains the bytes even if the bridge redirects downloads of large images. */
                "x-artifact-redirect"?: "never";
            };
            path: {
                id: string;
                /** @description The index from 0: first the images, then the mask, then the reference images. */
                index: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The verified bytes of the image, unchanged. */
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
            /** @description The cached copy of the client is current. */
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
            /** @description The image is at the address in `location` for 60 seconds, and no token is needed there. */
            307: {
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
                /** @description The maximum width and height in pixels. A smaller image is not enlarged. */
                edge?: number;
            };
            header?: {
                /** @description The etag of a cached copy. */
                "if-none-match"?: string;
            };
            path: {
                id: string;
                /** @description The index from 0: first the images, then the mask, then the reference images. */
                index: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A verified PNG in sRGB with alpha, rotated according to the EXIF orientation of the image. */
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
            /** @description The cached copy of the client is current. */
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
            /** @description A stream of events. The first event is `snapshot`, and the last event is `ended`. Every connection begins with the current state of the job, so the header `Last-Event-ID` is not needed. A slow reader receives only the latest progress of each output. */
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
    listPrompts: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The next_cursor of the previous page, which had the same filters. */
                cursor?: string;
                /** @description Words that the prompt contains in any order, without regard to case. `"a b"` is an exact phrase; `-a` and `-"a b"` exclude. A word also matches inside a longer word. At most 16 words and phrases. */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of prompts. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PromptPage"];
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
    getQueue: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The queue with the jobs of all tokens. */
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
            /** @description The queue after the change. */
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
    getOwnQueue: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The queued and running jobs of the caller. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnImageQueue"];
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
    listQueueJobs: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The next_cursor of the previous page, which had the same filters. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of queued and running jobs, oldest first. */
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
                             * @description queued or running in the list. After a cancellation, the new status of the job.
                             * @enum {string}
                             */
                            status: "queued" | "running" | "succeeded" | "failed" | "cancelled" | "interrupted";
                            /** @description The time since the job was accepted in milliseconds, with a resolution of one second. */
                            age_ms: number;
                            cancel_requested: boolean;
                            /** @description The name of the token that created the job. Absent for a caller without a named token. */
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
            /** @description The job after the cancellation. */
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
                         * @description queued or running in the list. After a cancellation, the new status of the job.
                         * @enum {string}
                         */
                        status: "queued" | "running" | "succeeded" | "failed" | "cancelled" | "interrupted";
                        /** @description The time since the job was accepted in milliseconds, with a resolution of one second. */
                        age_ms: number;
                        cancel_requested: boolean;
                        /** @description The name of the token that created the job. Absent for a caller without a named token. */
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
                /** @description The next_cursor of the previous page, which had the same filters. */
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
    reconcileProvider: {
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
                "application/json": {
                    /**
                     * @description The number of days, including the current day (UTC).
                     * @default 7
                     */
                    days?: number | null;
                    /**
                     * @description True if the recorded costs are compared but not changed.
                     * @default false
                     */
                    dry_run?: boolean | null;
                    /** @description The next_cursor of the previous reply, which had the same number of days. */
                    cursor?: string | null;
                };
            };
        };
        responses: {
            /** @description The comparison of at most 50 calls. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        provider: string;
                        /** @description False if the service does not report its charges, so that no call is compared. */
                        reports_charges: boolean;
                        /** @description Calls whose recorded cost is the charge of the service. */
                        equal: number;
                        /** @description Calls whose recorded cost was unknown or different, and is the charge of the service now. */
                        settled: number;
                        /** @description Calls that the service has not billed yet. */
                        pending: number;
                        /** @description The amount in US dollars by which the recorded costs of these calls have changed, as decimal text with a sign if negative. */
                        correction: string;
                        /** @description The days with calls of the provider, earliest first. */
                        days: {
                            /**
                             * Format: date
                             * @description The day in UTC, such as 2026-11-22.
                             */
                            day: string;
                            /** @description The recorded cost of the calls of all tokens. */
                            cost: {
                                /** @description The amount as decimal text. Absent if the cost is unknown, because an unknown cost is never 0. */
                                amount?: string;
                                /** @description The known part of a sum whose basis is `unknown`. */
                                known_amount?: string;
                                /**
                                 * @description Present with an amount.
                                 * @constant
                                 */
                                currency?: "USD";
                                /**
                                 * @description `reported` by the provider, `priced` from the price list, `free`, or `unknown`. The basis of a sum is its weakest basis.
                                 * @enum {string}
                                 */
                                basis: "free" | "reported" | "priced" | "unknown";
                            };
                            /** @description The images whose cost is unknown. */
                            unknown_images: number;
                        }[];
                        /** @description Present if more calls remain. */
                        next_cursor?: string;
                    };
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
    listPresets: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The next_cursor of the previous page, which had the same filters. */
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
                /** @description Equal requests with the same key are executed once; a repeated request gets the same reply. */
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
                    /** @description Present and `true` if an earlier equal request with the key created the preset. */
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
            /** @description The session key and its thread. */
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
                /** @description The number of days, including the current day. */
                days?: number;
                /** @description The tokens whose usage is reported. `all` needs the permission `admin`, and adds `by_token` to the reply. */
                tokens?: "own" | "all";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The usage of the token or of all tokens. */
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
                /** @description If true, browsers save the image instead of showing it. */
                download?: boolean;
            };
            header?: {
                /** @description The etag of a cached copy. */
                "if-none-match"?: string;
                /** @description A single range of bytes, such as bytes=0-1023. */
                range?: string;
                /** @description With never, the reply contains the bytes even if the bridge redirects downloads of large images. */
                "x-artifact-redirect"?: "never";
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
            /** @description The cached copy of the client is current. */
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
            /** @description The image is at the address in `location` for 60 seconds, and no token is needed there. */
            307: {
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
    updateArtifact: {
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
                "application/json": components["schemas"]["ImageArtifactPatch"];
            };
        };
        responses: {
            /** @description The changed image. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MarkedArtifact"];
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
    cropArtifact: {
        parameters: {
            query?: never;
            header?: {
                /** @description Equal requests with the same key are executed once; a repeated request gets the same reply. */
                "idempotency-key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The left edge in the pixels of the image. */
                    x: number;
                    /** @description The upper edge in the pixels of the image. */
                    y: number;
                    /** @description The width in pixels. The rectangle ends inside the image. */
                    width: number;
                    /** @description The height in pixels. The rectangle ends inside the image. */
                    height: number;
                };
            };
        };
        responses: {
            /** @description The job of the crop, whose result is a new artifact. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description The URL of the job. */
                    location?: string;
                    /** @description Present and `true` if an earlier equal request with the key created the job. */
                    "idempotent-replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImageJob"];
                };
            };
            /** @description Bad Request: `invalid_request`, `invalid_image_input`. */
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
            409: components["responses"]["idempotency_conflict"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            417: components["responses"]["expectation_failed"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
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
                /** @description The maximum width and height in pixels. A smaller image is not enlarged. */
                edge?: number;
            };
            header?: {
                /** @description The etag of a cached copy. */
                "if-none-match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A verified PNG in sRGB with alpha, rotated according to the EXIF orientation of the image. */
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
            /** @description The cached copy of the client is current. */
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
    getArtifactCredentials: {
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
            /** @description The result of the check, with the chain of manifests. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactCredentials"];
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
    getArtifactManifest: {
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
            /** @description The manifest store of the image, with the manifests of its originals. The store is not checked. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content: {
                    "application/c2pa": string;
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
            /** @description Facts and counts, never the content of requests. */
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
            /** @description The metrics in the Prometheus text format. */
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
            /** @description A stream of messages. Clients of the revision 2026-07-28 do not use this stream. */
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
            /** @description The body is not a valid message of the protocol or of this session. */
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
            /** @description The session or the method does not exist. */
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
            /** @description The header `accept` does not list the required media types. */
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
            /** @description The session already has a stream. */
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
            /** @description The reply of the Model Context Protocol (Streamable HTTP): a message or a stream of messages. Errors have the format that the protocol defines. If a tool fails, its result contains the error. */
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
            /** @description A notification was accepted. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The body is not a valid message of the protocol or of this session. */
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
            /** @description The session or the method does not exist. */
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
            /** @description The header `accept` does not list the required media types. */
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
            /** @description The session has ended. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The body is not a valid message of the protocol or of this session. */
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
            /** @description The session or the method does not exist. */
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
                /** @description The etag of a cached copy. */
                "if-none-match"?: string;
                /** @description br and gzip are supported. */
                "accept-encoding"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page, which contains no prompts, images or tokens. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description An identifier of the bytes. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The cached copy of the client is current. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description An identifier of the bytes. */
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
                /** @description The etag of a cached copy. */
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
                    /** @description An identifier of the bytes. */
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
            /** @description The cached copy of the client is current. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description An identifier of the bytes. */
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
                /** @description The etag of a cached copy. */
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
            /** @description The page. All views have the same page. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description An identifier of the bytes. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The cached copy of the client is current. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    traceparent: components["headers"]["traceparent"];
                    /** @description An identifier of the bytes. */
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
                /** @description The id of the job. The id is the same in every attempt, so a receiver can detect repeated messages. */
                "webhook-id": string;
                /** @description The time of this attempt, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One signature, or two signatures separated by a space while the secret is rotated. Each signature is `v1,` and the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` in base64. */
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
            /** @description The message is not sent again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The message was delivered, if this reply arrives within 15 s. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The message is sent again later, up to seven times. Redirects are not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
