import { Refusal } from '../../upstream/refusal.ts';
import type { Fields } from '../request/fields.ts';
import { GPT_IMAGE_2, OPENAI_MODELS } from '../request/openai-models.ts';
import { checkOpenAiRequest } from '../request/openai-request.ts';
import type { Dialect, Failure, Head } from './dialect.ts';
import { openAiMembers } from './openai.ts';

/** The models, by the names of their deployments. */
const DEPLOYMENTS = { ...OPENAI_MODELS, 'our-images': GPT_IMAGE_2 };

const CLASSIC = /^\/openai\/deployments\/([^/]+)\//;

/** A resource of Azure. The deployment is in the path or, on newer routes, in `model`. */
export const azure: Dialect = {
  about: "Azure's dialect; its deployment `our-images` is a gpt-image-2",
  basePath: '',
  routes: {
    '/openai/deployments/*/images/generations': 'generate',
    '/openai/deployments/*/images/edits': 'edit',
    '/openai/v1/images/generations': 'generate',
    '/openai/v1/images/edits': 'edit',
  },
  models: Object.keys(DEPLOYMENTS),
  hasKey: true,

  checkHead({ headers, url }, { key }) {
    const { authorization } = headers;
    const keys = [headers['api-key'], authorization?.replace(/^Bearer /, '')];
    // A key of the resource or a token of Microsoft Entra ID, but not both.
    if (keys.filter((sent) => sent !== undefined).join() !== key) {
      const message = 'Access denied due to invalid subscription key or wrong API endpoint.';
      throw new Refusal({ status: 401, code: '401', message });
    }
    const version = url.searchParams.get('api-version');
    const isClassic = CLASSIC.test(url.pathname);
    const isVersion = /^\d{4}-\d{2}-\d{2}(-preview)?$/.test(version ?? '');
    if (isClassic ? !isVersion : version !== null && !['v1', 'preview'].includes(version)) {
      throw new Refusal({ status: 404, code: '404', message: 'Resource not found' });
    }
  },
  toCall: (operation, fields, head) =>
    checkOpenAiRequest(operation, withDeployment(fields, head), {
      models: DEPLOYMENTS,
      defaultModel: '',
    }),
  toErrorBody: azureError,
  replyMembers: (call) => ({ ...openAiMembers(call), content_filter_results: CONTENT }),
  itemMembers: () => ({ content_filter_results: CONTENT }),
  replyHeaders: (ids) => ({ 'apim-request-id': ids.newUuid(), 'x-ms-region': 'Nowhere' }),
};

const CONTENT = { hate: { filtered: false, severity: 'safe' } };

function withDeployment(fields: Fields, { url }: Head): Fields {
  const deployment = CLASSIC.exec(url.pathname)?.[1];
  if (deployment === undefined) return fields;
  return { ...fields, values: { ...fields.values, model: decodeURIComponent(deployment) } };
}

function azureError({ message, code, param, type, innerCode, moderation }: Failure): unknown {
  const error = {
    code: code === 'model_not_found' ? 'DeploymentNotFound' : (code ?? null),
    message,
    ...(param ? { param } : {}),
    ...(type ? { type } : {}),
    ...(moderation ? { moderation_details: moderation } : {}),
  };
  return { error: innerCode ? { ...error, innererror: { code: innerCode } } : error };
}
