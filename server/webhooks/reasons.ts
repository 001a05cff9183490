import type { FailureKind } from '#contract/failure.ts';
import type { FAILURE_REASONS, PHASES } from '#contract/vocabulary.ts';
import type { Language } from '#contract/webhook.ts';

// As pages name them: a server must not import the pages' texts, so a test compares the two.

type Names<Key extends string> = Record<Key, Record<Language, string>>;

export const REASONS: Names<(typeof FAILURE_REASONS)[number]> = {
  dns_not_found: { en: 'Host name not found', 'zh-CN': '域名不存在' },
  dns_no_address: { en: 'Host name has no address', 'zh-CN': '域名没有地址' },
  dns_timeout: { en: 'DNS timed out', 'zh-CN': 'DNS 超时' },
  dns_refused: { en: 'DNS server refused', 'zh-CN': 'DNS 服务器拒绝' },
  dns_server_failure: { en: 'DNS server failed', 'zh-CN': 'DNS 服务器故障' },
  dns_error: { en: 'DNS error', 'zh-CN': 'DNS 错误' },
  address_not_allowed: { en: 'Address not allowed', 'zh-CN': '不允许访问该地址' },
  tcp_refused: { en: 'Connection refused', 'zh-CN': '连接被拒绝' },
  tcp_timeout: { en: 'Connect timed out', 'zh-CN': '建连超时' },
  tcp_unreachable: { en: 'Network unreachable', 'zh-CN': '网络不可达' },
  tcp_reset: { en: 'Connection reset', 'zh-CN': '连接被重置' },
  tcp_error: { en: 'Connect error', 'zh-CN': '建连错误' },
  tls_timeout: { en: 'TLS handshake timed out', 'zh-CN': 'TLS 握手超时' },
  tls_reset: { en: 'Reset during TLS handshake', 'zh-CN': 'TLS 握手时被重置' },
  tls_closed: { en: 'Closed during TLS handshake', 'zh-CN': 'TLS 握手时被关闭' },
  tls_alert: { en: 'Server sent a TLS alert', 'zh-CN': '服务器发出 TLS 告警' },
  tls_not_tls: { en: 'Answer is not TLS', 'zh-CN': '对方不是 TLS' },
  tls_version: { en: 'No common TLS version', 'zh-CN': '没有共同的 TLS 版本' },
  tls_no_shared_cipher: { en: 'No common cipher', 'zh-CN': '没有共同的加密套件' },
  tls_client_certificate_required: { en: 'Client certificate required', 'zh-CN': '需要客户端证书' },
  tls_too_large: { en: 'TLS handshake too large', 'zh-CN': 'TLS 握手过大' },
  tls_error: { en: 'TLS error', 'zh-CN': 'TLS 错误' },
  cert_expired: { en: 'Certificate expired', 'zh-CN': '证书已过期' },
  cert_not_yet_valid: { en: 'Certificate not yet valid', 'zh-CN': '证书尚未生效' },
  cert_self_signed: { en: 'Certificate self-signed', 'zh-CN': '自签名证书' },
  cert_untrusted: { en: 'Certificate not trusted', 'zh-CN': '证书不受信任' },
  cert_incomplete_chain: { en: 'Certificate chain incomplete', 'zh-CN': '证书链不完整' },
  cert_name_mismatch: { en: 'Certificate for another name', 'zh-CN': '证书域名不符' },
  cert_revoked: { en: 'Certificate revoked', 'zh-CN': '证书已吊销' },
  cert_weak: { en: 'Certificate too weak', 'zh-CN': '证书强度不足' },
  cert_invalid: { en: 'Certificate invalid', 'zh-CN': '证书无效' },
  http_timeout: { en: 'HTTP timed out', 'zh-CN': 'HTTP 超时' },
  http_reset: { en: 'Reset during HTTP', 'zh-CN': 'HTTP 时被重置' },
  http_closed: { en: 'Closed during HTTP', 'zh-CN': 'HTTP 时被关闭' },
  http_protocol: { en: 'HTTP protocol error', 'zh-CN': 'HTTP 协议错误' },
  http_status: { en: 'HTTP error status', 'zh-CN': 'HTTP 状态码异常' },
  http_body_mismatch: { en: 'Body is not as expected', 'zh-CN': '正文不符合预期' },
  http_too_large: { en: 'HTTP answer too large', 'zh-CN': 'HTTP 响应过大' },
  http_error: { en: 'HTTP error', 'zh-CN': 'HTTP 错误' },
  prober_offline: { en: 'Prober offline', 'zh-CN': '探测器离线' },
  prober_file_limit: { en: 'Prober out of file handles', 'zh-CN': '探测器文件句柄耗尽' },
  prober_overloaded: { en: 'Prober overloaded', 'zh-CN': '探测器过载' },
  prober_fault: { en: 'Fault of the prober', 'zh-CN': '探测器故障' },
};

export const PHASE_NAMES: Names<(typeof PHASES)[number]> = {
  dns: { en: 'DNS', 'zh-CN': 'DNS' },
  tcp: { en: 'Connect', 'zh-CN': '建连' },
  tls: { en: 'TLS', 'zh-CN': 'SSL' },
  firstByte: { en: 'First byte', 'zh-CN': '首包' },
  download: { en: 'Download', 'zh-CN': '下载' },
};

/** `Certificate expired (phase TLS)`; of a failure of the resolver it says so. */
export function reasonText({ phase, reason, source }: FailureKind, language: Language): string {
  const name = PHASE_NAMES[phase][language];
  const resolver = source === 'resolver';
  return language === 'en'
    ? `${REASONS[reason].en} (phase ${name}${resolver ? ', at the resolver' : ''})`
    : `${REASONS[reason]['zh-CN']}（${name}阶段${resolver ? '，解析器' : ''}）`;
}
