import {
  McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
  type ServerContext,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import type * as v from 'valibot';
import { plainSchema } from '../contract/document/conversion.ts';
import { ApiFailure, type BridgeApi } from './bridge-api.ts';
import { artifactUri } from './job-result.ts';
import type { Tool, ToolContext, ToolResult } from './tool.ts';
import { cancelJob } from './tools/cancel-job.ts';
import { editImage } from './tools/edit-image.ts';
import { generateImage } from './tools/generate-image.ts';
import { getJob } from './tools/get-job.ts';
import { listJobs } from './tools/list-jobs.ts';
import { listModels } from './tools/list-models.ts';
import { planImage } from './tools/plan-image.ts';

const TOOLS: readonly Tool[] = [
  generateImage,
  editImage,
  planImage,
  getJob,
  listJobs,
  cancelJob,
  listModels,
];

const INSTRUCTIONS =
  'Image Bridge makes and edits images with whatever provider is set up, and keeps every one of them. Begin with generate_image; list_models says what can be chosen.';

interface Deps extends Pick<ToolContext, 'clock' | 'images' | 'readFile' | 'keepsJobs'> {
  readonly api: BridgeApi;
  readonly version: string;
  /** Called with what no tool expected. */
  readonly onFailure: (error: unknown) => void;
}

/** A server of the Model Context Protocol for one connection: the bridge's tools over its own HTTP API. */
export function createMcpServer({ version, ...deps }: Deps): McpServer {
  const server = new McpServer(
    { name: 'image-bridge', title: 'Image Bridge', version },
    { instructions: INSTRUCTIONS },
  );
  for (const tool of TOOLS) register(server, tool, deps);
  server.registerResource(
    'artifact',
    new ResourceTemplate(artifactUri('{id}'), { list: undefined }),
    { title: 'An image that the bridge has made', description: 'The whole file.' },
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
      const toolContext = toToolContext(context, deps);
      return toErrorResult(() => tool.run(input, toolContext), toolContext.signal, deps.onFailure);
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
      // A client that does not read its progress is none that the work depends on.
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
    },
  };
}

/** Why a tool failed, for the model that has called it: the code, what is wrong, and what to do. */
async function toErrorResult(
  run: () => Promise<ToolResult>,
  signal: AbortSignal,
  onFailure: Deps['onFailure'],
): Promise<ToolResult> {
  try {
    return await run();
  } catch (error) {
    // A call that was cancelled gets no reply.
    if (!(error instanceof ApiFailure || signal.aborted)) onFailure(error);
    return toFailureResult(
      error instanceof ApiFailure ? error : new ApiFailure('internal', 'the tool has failed'),
    );
  }
}

function toFailureResult({ code, message, suggestions, issues }: ApiFailure): ToolResult {
  const text = [`${code}: ${message}`, ...suggestions].join('\n');
  const listed = issues.length > 0 ? { issues } : {};
  return {
    content: [{ type: 'text', text }],
    structuredContent: { code, message, ...listed, suggestions },
    isError: true,
  };
}

/** A schema for the protocol's library, which shows it. The tool checks its arguments: the library would refuse them its own way. */
function shownSchema(schema: v.GenericSchema): StandardSchemaWithJSON {
  const jsonSchema = () => ({ ...plainSchema(schema) });
  return {
    '~standard': {
      ...schema['~standard'],
      validate: (value) => ({ value }),
      jsonSchema: { input: jsonSchema, output: jsonSchema },
    },
  };
}
