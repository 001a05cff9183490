import type { IncidentResolution } from '#contract/incident.ts';
import type { Language } from '#contract/webhook.ts';
import type { WebhookEventType } from '#contract/webhook-event.ts';

/** What messages to people say, but for names and numbers. */
export type Words = {
  language: Language;
  events: Record<WebhookEventType, string>;
  metrics: Record<string, string>;
  causes: Record<string, string>;
  where: string;
  since: string;
  until: string;
  /** Stands in the place of `until` where a level was accepted: nothing is over. */
  acceptedAt: string;
  ending: string;
  /** How an incident ended. */
  endings: Record<IncidentResolution, string>;
  /** The title of an end that is no recovery; `what` is that of the opening. */
  endedAs: Record<'by_hand' | 'accepted' | 'superseded' | 'unwatched', (what: string) => string>;
  /** In the place of the opening's name, for a certificate that has expired. */
  expired: string;
  daysLeft: (n: number) => string;
  expiredAgo: (n: number) => string;
  vantagesDown: (down: number, all: number) => string;
  cause: string;
  failure: string;
  failing: (share: string) => string;
  severity: string;
  severities: Record<string, string>;
  cells: (n: number) => string;
  more: (n: number) => string;
  grouped: (n: number) => string;
  test: string;
  demo: string;
  reminder: string;
  open: string;
  colon: string;
  comma: string;
};

const en: Words = {
  language: 'en',
  events: {
    'tls.spike.opened': 'Spike',
    'tls.spike.resolved': 'Spike over',
    'tls.regression.opened': 'Regression',
    'tls.regression.resolved': 'Regression over',
    'tls.regression.accepted': 'Regression accepted as the new level',
    'tls.improvement.detected': 'Improvement',
    'threshold.opened': 'Threshold crossed',
    'threshold.resolved': 'Back within the threshold',
    'target.down': 'Down',
    'target.recovered': 'Up again',
    'certificate.expiring': 'Certificate expires soon',
    'certificate.renewed': 'Certificate renewed',
    'staple.unhealthy': 'OCSP staple unhealthy',
    'staple.healthy': 'OCSP staple healthy again',
    'vantage.silent': 'Vantage silent',
    'vantage.heard': 'Vantage reporting again',
    'webhook.test': 'Test',
  },
  metrics: {
    dns: 'DNS time',
    tcp: 'TCP connect time',
    tls: 'TLS time',
    firstByte: 'first-byte time',
    download: 'download time',
    total: 'total time',
    failures: 'failures',
    roundTrips: 'round trips',
  },
  causes: { network: 'the network', server: 'the server', tls: 'the structure of the TLS handshake' },
  where: 'Where',
  since: 'Since',
  until: 'Over at',
  acceptedAt: 'Accepted at',
  ending: 'How it ended',
  endings: {
    recovered: 'recovered',
    rolled_back: 'back to the level before',
    by_hand: 'resolved manually',
    accepted: 'not recovered; accepted as the new level',
    superseded: 'became a lasting change',
    unwatched: 'no longer monitored',
  },
  endedAs: {
    accepted: (what) => `${what} accepted as the new level`,
    by_hand: (what) => `${what}, resolved manually`,
    superseded: (what) => `${what} became a lasting change`,
    unwatched: (what) => `${what}, no longer monitored`,
  },
  expired: 'Certificate expired',
  daysLeft: (n) => (n === 1 ? '1 day left' : `${n} days left`),
  expiredAgo: (n) => (n === 1 ? 'expired 1 day ago' : `expired ${n} days ago`),
  vantagesDown: (down, all) => `${down} of ${all} vantages see nothing but failures`,
  cause: 'Probable cause',
  failure: 'Reason',
  failing: (share) => `${share} of probes fail`,
  severity: 'Severity',
  severities: { info: 'info', warning: 'warning', critical: 'critical' },
  cells: (n) => `Affected targets and vantages (${n}):`,
  more: (n) => `… and ${n} more`,
  grouped: (n) => `${n} events at once`,
  test: 'Messages of Roundtrip arrive here.',
  demo: 'Made by the demo network, not measured.',
  reminder: 'Still going on.',
  open: 'Open in Roundtrip',
  colon: ': ',
  comma: ', ',
};

const zh: Words = {
  language: 'zh-CN',
  events: {
    'tls.spike.opened': '突增',
    'tls.spike.resolved': '突增已恢复',
    'tls.regression.opened': '持续劣化',
    'tls.regression.resolved': '劣化已恢复',
    'tls.regression.accepted': '持续劣化已接受新水平',
    'tls.improvement.detected': '性能改善',
    'threshold.opened': '超过阈值',
    'threshold.resolved': '回到阈值内',
    'target.down': '目标不可用',
    'target.recovered': '目标已恢复',
    'certificate.expiring': '证书即将到期',
    'certificate.renewed': '证书已更新',
    'staple.unhealthy': 'OCSP 装订异常',
    'staple.healthy': 'OCSP 装订已恢复',
    'vantage.silent': '探测点失联',
    'vantage.heard': '探测点已恢复',
    'webhook.test': '测试消息',
  },
  metrics: {
    dns: 'DNS 耗时',
    tcp: '建连耗时',
    tls: 'SSL 耗时',
    firstByte: '首包耗时',
    download: '下载耗时',
    total: '总耗时',
    failures: '失败率',
    roundTrips: '往返次数',
  },
  causes: { network: '网络', server: '服务器', tls: 'TLS 握手结构' },
  where: '位置',
  since: '开始时间',
  until: '结束时间',
  acceptedAt: '接受时间',
  ending: '结束方式',
  endings: {
    recovered: '已恢复',
    rolled_back: '已回到原水平',
    by_hand: '已手动关闭',
    accepted: '未恢复，已接受新水平',
    superseded: '转为持续变化',
    unwatched: '已停止监测',
  },
  endedAs: {
    accepted: (what) => `${what}已接受新水平`,
    by_hand: (what) => `${what}，已手动关闭`,
    superseded: (what) => `${what}转为持续变化`,
    unwatched: (what) => `${what}，已停止监测`,
  },
  expired: '证书已过期',
  daysLeft: (n) => `剩余 ${n} 天`,
  expiredAgo: (n) => `已过期 ${n} 天`,
  vantagesDown: (down, all) => `${all} 个探测点中 ${down} 个全部失败`,
  cause: '可能原因',
  failure: '失败原因',
  failing: (share) => `失败率 ${share}`,
  severity: '级别',
  severities: { info: '提示', warning: '警告', critical: '严重' },
  cells: (n) => `涉及 ${n} 条线路：`,
  more: (n) => `…… 另有 ${n} 条`,
  grouped: (n) => `同时发生 ${n} 个事件`,
  test: 'Roundtrip 的消息可以送达此处。',
  demo: '由演示网络生成，并非真实测量。',
  reminder: '仍在持续。',
  open: '在 Roundtrip 中查看',
  colon: '：',
  comma: '，',
};

export const WORDS: Record<Language, Words> = { en, 'zh-CN': zh };
