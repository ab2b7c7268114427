import {
  McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
  type ServerContext,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import type * as v from 'valibot';
import { type JsonObject, plainSchema } from '../contract/json-schema.ts';
import { ApiFailure, type BridgeApi } from './bridge-api.ts';
import { artifactUri } from './job-result.ts';
import type { Tool, ToolContext, ToolResult } from './tool.ts';
import { cropImage, editImage, generateImage, planImage } from './tools/image-tools.ts';
import { cancelJob, getJob, listJobs } from './tools/job-tools.ts';
import { listModels } from './tools/list-models.ts';

const TOOLS: readonly Tool[] = [
  generateImage,
  editImage,
  cropImage,
  planImage,
  getJob,
  listJobs,
  cancelJob,
  listModels,
];

const INSTRUCTIONS =
  'Image Bridge generates and edits images with the configured providers, and stores every image. Start with generate_image. list_models lists the models to choose from.';

interface Deps extends Pick<ToolContext, 'clock' | 'images' | 'readFile' | 'keepsJobs'> {
  readonly api: BridgeApi;
  readonly version: string;
  /** Called with an unexpected error of a tool. */
  readonly onFailure: (error: unknown) => void;
}

/** Creates a server of the Model Context Protocol for one connection. The tools call the HTTP API of the bridge. */
export function createMcpServer({ version, ...deps }: Deps): McpServer {
  const server = new McpServer(
    { name: 'image-bridge', title: 'Image Bridge', version },
    { instructions: INSTRUCTIONS },
  );
  for (const tool of TOOLS) register(server, tool, deps);
  server.registerResource(
    'artifact',
    new ResourceTemplate(artifactUri('{id}'), { list: undefined }),
    { title: 'An image that the bridge generated', description: 'The whole file.' },
    async (uri, { id }, { mcpReq: { signal } }) => {
      try {
        const request = { path: { id: String(id) }, signal };
        const { bytes, mediaType } = await deps.api.bytes('GET /v1/artifacts/{id}', request);
        const blob = bytes.toString('base64');
        return { contents: [{ uri: uri.href, mimeType: mediaType, blob }] };
      } catch (error) {
        if (error instanceof ApiFailure) throw new ResourceNotFoundError(uri.href);
        throw error;
      }
    },
  );
  return server;
}

type CallDeps = Omit<Deps, 'version'>;

function register(server: McpServer, tool: Tool, deps: CallDeps): void {
  const { name, title, description, isReadOnly } = tool;
  const annotations = {
    readOnlyHint: isReadOnly,
    destructiveHint: false,
    openWorldHint: !isReadOnly,
  };
  const inputSchema = shownSchema(tool.input);
  server.registerTool(
    name,
    { title, description, inputSchema, annotations },
    async (input, context) => {
      try {
        return await tool.run(input, toToolContext(context, deps));
      } catch (error) {
        if (error instanceof ApiFailure) return toFailureResult(error);
        // The error of a cancelled call is expected, and the client receives no result.
        if (!context.mcpReq.signal.aborted) deps.onFailure(error);
        return toFailureResult(new ApiFailure('internal', 'the tool failed'));
      }
    },
  );
}

function toToolContext({ mcpReq }: ServerContext, deps: CallDeps): ToolContext {
  const { progressToken } = mcpReq._meta ?? {};
  let progress = 0;
  return {
    ...deps,
    signal: mcpReq.signal,
    progress(message) {
      if (progressToken === undefined) return;
      progress += 1;
      const params = { progressToken, progress, message };
      // The work continues even if the client cannot receive its progress.
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
    },
  };
}

/** Converts an error to a result for the model that called the tool. */
function toFailureResult({ code, message, suggestions, issues }: ApiFailure): ToolResult {
  const text = [`${code}: ${message}`, ...suggestions].join('\n');
  const listed = issues.length > 0 ? { issues } : {};
  return {
    content: [{ type: 'text', text }],
    structuredContent: { code, message, ...listed, suggestions },
    isError: true,
  };
}

/**
 * Returns a schema that the protocol library shows to clients but does not apply, because the library would report invalid
 * arguments in another form than the tools.
 */
function shownSchema(schema: v.GenericSchema): StandardSchemaWithJSON {
  const jsonSchema = () => ({ ...converted(schema) });
  return {
    '~standard': {
      ...schema['~standard'],
      validate: (value) => ({ value }),
      jsonSchema: { input: jsonSchema, output: jsonSchema },
    },
  };
}

const CONVERTED = new WeakMap<v.GenericSchema, JsonObject>();

/** Returns the JSON Schema of a tool, which is converted once for all connections. */
function converted(schema: v.GenericSchema): JsonObject {
  const known = CONVERTED.get(schema) ?? plainSchema(schema);
  CONVERTED.set(schema, known);
  return known;
}
