import type { Certificate, ChainCertificate, SentChain } from '#contract/certificate.ts';
import type { Finding } from '#contract/result.ts';
import { fact, shortened } from './finding.ts';

type Problem = SentChain['problems'][number];

const IN_VAIN: [Problem, string][] = [
  ['extra_certificates', 'certificates that are not of its chain'],
  ['duplicate_certificates', 'a certificate twice'],
  ['root_sent', 'the root, which clients have or do not trust'],
];

/** What is odd about the chain as it was sent; nothing where it could not be read. */
export function chainFindings({ sent }: Certificate): Finding[] {
  if (!sent) return [];
  const found: Finding[] = [];
  if (sent.problems.includes('missing_intermediate')) {
    const issuer = pathOf(sent).at(-1)?.issuer ?? '';
    const evidence = `the server did not send the certificate of ${issuer.slice(0, 300)}, without which its chain reaches no trusted root: only clients that have met it elsewhere go on`;
    found.push(fact('chain_missing_intermediate', 'critical', evidence, { issuer: shortened(issuer) }));
  }
  if (sent.problems.includes('wrong_order')) {
    const order = sent.certificates.map(({ subject }) => subject.slice(0, 100)).join(' | ');
    const evidence = `not each certificate was followed by its issuer: ${order}`;
    found.push(fact('chain_wrong_order', 'warning', evidence, { order: shortened(order) }));
  }
  const inVain = IN_VAIN.filter(([problem]) => sent.problems.includes(problem)).map(([, words]) => words);
  if (inVain.length > 0) {
    const [savedBytes, messageBytes] = [wastedBytes(sent), sent.uncompressedBytes ?? sent.messageBytes];
    const compressed = sent.uncompressedBytes === undefined ? '' : ' before compression';
    const saved = `${savedBytes} of ${messageBytes} bytes of the Certificate message${compressed} can be saved`;
    const evidence = `the server sent ${inVain.join(', ')}: ${saved}`;
    found.push(fact('chain_extra_certificates', 'info', evidence, { savedBytes, messageBytes }));
  }
  return found;
}

/** Bytes of the certificates that no client needs. */
function wastedBytes(sent: SentChain): number {
  const path = pathOf(sent);
  const last = path.at(-1);
  const root = path.length > 1 && last?.subject === last?.issuer ? last : null;
  const needed = path.filter((each) => each !== root);
  return sent.certificates.filter((each) => !needed.includes(each)).reduce((sum, { bytes }) => sum + bytes, 0);
}

/** From the leaf upwards by the names alone: the signatures were checked when the chain was read. */
function pathOf({ certificates }: SentChain): ChainCertificate[] {
  const path: ChainCertificate[] = certificates.slice(0, 1);
  for (let below = path[0]; below && below.subject !== below.issuer; ) {
    const { issuer } = below;
    below = certificates.find((each) => each.subject === issuer && !path.includes(each));
    if (below) path.push(below);
  }
  return path;
}
