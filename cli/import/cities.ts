// Cities of China, of the level of prefectures, by their province: in Chinese, and those from which others measure in Latin letters.

const CITIES: Record<string, string> = {
  'CN-HE': `石家庄 唐山 秦皇岛 邯郸 邢台 保定 张家口 承德 沧州 廊坊 衡水 雄安
    shijiazhuang zhangjiakou langfang baoding tangshan`,
  'CN-SX': '太原 大同 阳泉 长治 晋城 朔州 晋中 运城 忻州 临汾 吕梁 taiyuan',
  'CN-NM': '呼和浩特 包头 乌海 赤峰 通辽 鄂尔多斯 呼伦贝尔 巴彦淖尔 乌兰察布 hohhot ulanqab baotou',
  'CN-LN': '沈阳 大连 鞍山 抚顺 本溪 丹东 锦州 营口 阜新 辽阳 盘锦 铁岭 朝阳 葫芦岛 shenyang dalian',
  'CN-JL': '长春 吉林 四平 辽源 通化 白山 松原 白城 延边 changchun',
  'CN-HL': '哈尔滨 齐齐哈尔 鸡西 鹤岗 双鸭山 大庆 伊春 佳木斯 七台河 牡丹江 黑河 绥化 harbin',
  'CN-JS': `南京 无锡 徐州 常州 苏州 南通 连云港 淮安 盐城 扬州 镇江 泰州 宿迁 昆山
    nanjing suzhou wuxi changzhou xuzhou zhenjiang yangzhou nantong suqian yancheng huaian lianyungang`,
  'CN-ZJ': `杭州 宁波 温州 嘉兴 湖州 绍兴 金华 衢州 舟山 台州 丽水 义乌
    hangzhou ningbo wenzhou jiaxing shaoxing jinhua huzhou quzhou lishui`,
  'CN-AH': '合肥 芜湖 蚌埠 淮南 马鞍山 淮北 铜陵 安庆 黄山 滁州 阜阳 宿州 六安 亳州 池州 宣城 hefei wuhu',
  'CN-FJ': '福州 厦门 莆田 三明 泉州 漳州 南平 龙岩 宁德 fuzhou xiamen quanzhou',
  'CN-JX': '南昌 景德镇 萍乡 九江 新余 鹰潭 赣州 吉安 宜春 抚州 上饶 nanchang jiujiang',
  'CN-SD': `济南 青岛 淄博 枣庄 东营 烟台 潍坊 济宁 泰安 威海 日照 临沂 德州 聊城 滨州 菏泽
    jinan qingdao zibo weifang yantai linyi`,
  'CN-HA': `郑州 开封 洛阳 平顶山 安阳 鹤壁 新乡 焦作 濮阳 许昌 漯河 三门峡 南阳 商丘 信阳 周口 驻马店 济源
    zhengzhou luoyang xinxiang`,
  'CN-HB': `武汉 黄石 十堰 宜昌 襄阳 鄂州 荆门 孝感 荆州 黄冈 咸宁 随州 恩施 仙桃 潜江 天门
    wuhan shiyan xiangyang yichang`,
  'CN-HN': '长沙 株洲 湘潭 衡阳 邵阳 岳阳 常德 张家界 益阳 郴州 永州 怀化 娄底 湘西 changsha hengyang zhuzhou',
  'CN-GD': `广州 深圳 珠海 汕头 佛山 韶关 湛江 肇庆 江门 茂名 惠州 梅州 汕尾 河源 阳江 清远 东莞 中山 潮州 揭阳 云浮
    guangzhou shenzhen dongguan foshan zhuhai huizhou shantou zhanjiang`,
  'CN-GX': '南宁 柳州 桂林 梧州 北海 防城港 钦州 贵港 玉林 百色 贺州 河池 来宾 崇左 nanning guilin',
  'CN-HI': '海口 三亚 三沙 儋州 haikou sanya',
  'CN-SC': `成都 自贡 攀枝花 泸州 德阳 绵阳 广元 遂宁 内江 乐山 南充 眉山 宜宾 广安 达州 雅安 巴中 资阳
    chengdu mianyang deyang yaan`,
  'CN-GZ': '贵阳 六盘水 遵义 安顺 毕节 铜仁 贵安 guiyang',
  'CN-YN': '昆明 曲靖 玉溪 保山 昭通 丽江 普洱 临沧 大理 红河 西双版纳 kunming',
  'CN-XZ': '拉萨 日喀则 昌都 林芝 山南 那曲 lhasa',
  'CN-SN': "西安 铜川 宝鸡 咸阳 渭南 延安 汉中 榆林 安康 商洛 xi'an xian",
  'CN-GS': '兰州 嘉峪关 金昌 白银 天水 武威 张掖 平凉 酒泉 庆阳 定西 陇南 lanzhou qingyang',
  'CN-QH': '西宁 海东 格尔木 xining',
  'CN-NX': '银川 石嘴山 吴忠 固原 中卫 yinchuan zhongwei',
  'CN-XJ': '乌鲁木齐 克拉玛依 吐鲁番 哈密 喀什 伊犁 阿克苏 石河子 urumqi',
};

const REGIONS = new Map(
  Object.entries(CITIES).flatMap(([region, cities]) => cities.split(/\s+/).map((city) => [city, region] as const)),
);

/** The region in which a city of China lies, by its name in lower case without 市; null where it is none that is known. */
export const regionAround = (city: string): string | null => REGIONS.get(city) ?? null;
